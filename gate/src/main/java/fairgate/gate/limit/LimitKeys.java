package fairgate.gate.limit;

import fairgate.kernel.Hashes;
import java.util.Base64;

/// The names of the limiter's Redis keys; `docs/redis-keys.md` describes their values. Short,
/// because there may be millions: with at most 22 characters a key of a rate takes 72 bytes.
final class LimitKeys {
  /// The cluster tag of all limit keys: a run counts in all of its limits or in none.
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

  /// For long or private values: sessions, devices, accounts.
  static String hashed(LimitRule rule, String who) {
    return plain(rule, hash(who));
  }

  private static String hash(String text) {
    byte[] hash = Hashes.sha256(text);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(hash).substring(0, HASH);
  }
}
