package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The API keys of merchants, which permit checking codes. A key is 256 random bits; the database
/// has only its SHA-256. Blocks.
public final class MerchantKeys {
  private static final String PREFIX = "fgm_";
  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final PostgresMerchantKeys table;

  public MerchantKeys(PostgresDatabase database) {
    this.table = new PostgresMerchantKeys(database);
  }

  /// A key, without itself.
  public record MerchantKey(
      long id, String name, Instant createdAt, String createdBy, @Nullable Instant revokedAt) {}

  /// A new key.
  ///
  /// @param clear the text of the key, shown once
  public record CreatedKey(MerchantKey key, String clear) {}

  public CreatedKey make(String name, String actor) {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    String clear = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return new CreatedKey(table.insert(name, hash(clear), actor), clear);
  }

  /// The key this text is, unless it was revoked.
  public Optional<MerchantKey> find(String clear) {
    return clear.startsWith(PREFIX) ? table.find(hash(clear)) : Optional.empty();
  }

  /// All keys, the newest first.
  public List<MerchantKey> all() {
    return table.all();
  }

  /// Ends a key. A repeat changes nothing. Empty when there is no such key.
  public Optional<MerchantKey> revoke(long id, String actor) {
    return table.revoke(id, actor);
  }

  private static byte[] hash(String clear) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(clear.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
