package fairgate.gate.limit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/// The names of the limiter's Redis keys; `docs/redis-keys.md` says what each holds. Short, for
/// there may be millions: with at most 22 characters a rate's key takes 72 bytes.
final class LimitKeys {
  /// The nodes alive.
  static final String NODES = "rl:nodes";

  /// The node that has the limits to itself.
  static final String ALONE = "rl:alone";

  /// What all keys of a run share in a cluster, before their names: its limits count all or
  /// nothing.
  static final String TAG = "rl";

  private static final String PREFIX = "rl:";

  /// 66 bits tell ten million people apart.
  private static final int HASH = 11;

  private LimitKeys() {}

  static String shared(LimitRule rule) {
    return PREFIX.concat(rule.name());
  }

  static String plain(LimitRule rule, String who) {
    return PREFIX + rule.name() + ':' + who;
  }

  /// For what is long, or not everybody's business: sessions, devices, accounts.
  static String hashed(LimitRule rule, String who) {
    return plain(rule, hash(who));
  }

  private static String hash(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash).substring(0, HASH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
