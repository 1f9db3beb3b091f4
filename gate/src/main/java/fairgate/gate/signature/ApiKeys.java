package fairgate.gate.signature;

import fairgate.kernel.Hashes;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The keys with which programs sign, cached in memory for any thread, and their changes by
/// operators.
///
/// The cache has this node's own changes at once and those of other nodes within half a second; it
/// stays as it is while PostgreSQL is away. Changes block, so they belong on virtual threads; they
/// throw ServiceUnavailable while PostgreSQL is away. To replace a key, create a new one and revoke
/// the old one later.
public final class ApiKeys implements AutoCloseable {
  private static final String SEAL_PURPOSE = "api-key-seal";
  private static final Logger LOG = LoggerFactory.getLogger(ApiKeys.class);
  private static final Duration FIRST_LOAD = Duration.ofSeconds(10);
  private static final int MAX_LIVE = 1_000;

  private final PostgresApiKeys store;
  private final KeySeal seal;
  private final Ids ids;
  private final Clock clock;
  private final ChangePoll.Watch watch;
  private volatile Snapshot snapshot = new Snapshot("", List.of(), Map.of());

  private record Snapshot(String stamp, List<ApiKey> all, Map<String, SigningKey> usable) {}

  /// A new key.
  ///
  /// @param secret base64 of 32 bytes; shown once
  public record CreatedKey(ApiKey key, String secret) {
    /// Without the secret.
    @Override
    public String toString() {
      return "CreatedKey[key=" + key + ", secret=[redacted]]";
    }
  }

  static final class SigningKey {
    private final ApiKey key;
    private final Mac mac;

    private SigningKey(ApiKey key, byte[] secret) {
      this.key = key;
      this.mac = Hashes.hmac(secret);
    }

    byte[] mac(byte[] text) {
      try {
        // A clone, because a Mac is not thread-safe.
        return ((Mac) mac.clone()).doFinal(text);
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("This JVM cannot clone an HMAC-SHA256", e);
      }
    }
  }

  private ApiKeys(PostgresDatabase database, KeyRing keys, Ids ids, Clock clock) {
    this.store = new PostgresApiKeys(database);
    this.seal = new KeySeal(keys, ids, SEAL_PURPOSE);
    this.ids = ids;
    this.clock = clock;
    this.watch = database.changes().watch(PostgresApiKeys.STAMP, this::look);
  }

  /// Loads all keys. Blocks.
  ///
  /// @param keys encrypt the secrets (purpose `api-key-seal`)
  static ApiKeys open(PostgresDatabase database, KeyRing keys, Ids ids, Clock clock) {
    ApiKeys made = new ApiKeys(database, keys, ids, clock);
    try {
      made.refresh();
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// All keys, including dead ones, oldest first.
  public List<ApiKey> all() {
    return snapshot.all();
  }

  /// Creates a key; empty when there are too many live ones. Blocks.
  ///
  /// @param expiresAt null for no expiry
  public Optional<CreatedKey> create(String name, @Nullable Instant expiresAt, String actor) {
    String id = "ak_" + ids.nonce();
    byte[] secret = new byte[32];
    byte[] half = Base64.getUrlDecoder().decode(ids.nonce());
    System.arraycopy(half, 0, secret, 0, 16);
    System.arraycopy(Base64.getUrlDecoder().decode(ids.nonce()), 0, secret, 16, 16);
    Optional<CreatedKey> made =
        store
            .add(id, name, actor, expiresAt, seal.seal(id, secret), MAX_LIVE)
            .map(key -> new CreatedKey(key, Base64.getEncoder().encodeToString(secret)));
    seen();
    return made;
  }

  /// Revokes a key on all nodes. A repeat changes nothing. Empty when there is no such key. Blocks.
  public Optional<ApiKey> revoke(String id, String actor) {
    Optional<ApiKey> revoked = store.revoke(id, actor);
    seen();
    return revoked;
  }

  /// The key, if it is live.
  Optional<SigningKey> usable(String id) {
    return Optional.ofNullable(snapshot.usable().get(id))
        .filter(usable -> usable.key.isLive(clock.instant()));
  }

  /// Reloads all keys. Blocks. Throws ServiceUnavailable.
  public void refresh() {
    var _ = BlockingWork.within(FIRST_LOAD, load(), "the API keys did not load");
  }

  private void seen() {
    try {
      refresh();
    } catch (ServiceUnavailable e) {
      // The change is committed; the next poll will load it.
      LOG.warn("Could not reload API keys", e);
    }
  }

  private Future<Void> look(String stamp) {
    return stamp.equals(snapshot.stamp()) ? Future.succeededFuture() : load();
  }

  /// The stamp is read before the keys, so the next poll notices a change in between.
  private Future<Void> load() {
    return store
        .stamp()
        .compose(stamp -> store.all().map(all -> snapshot(stamp, all)))
        .map(
            fresh -> {
              snapshot = fresh;
              return null;
            });
  }

  private Snapshot snapshot(String stamp, List<PostgresApiKeys.Stored> stored) {
    Map<String, SigningKey> usable = new HashMap<>();
    int undecrypted = 0;
    for (PostgresApiKeys.Stored one : stored) {
      if (one.key().revokedAt() == null) {
        Optional<byte[]> secret = seal.open(one.key().id(), one.secret());
        secret.ifPresent(bytes -> usable.put(one.key().id(), new SigningKey(one.key(), bytes)));
        undecrypted += secret.isPresent() ? 0 : 1;
      }
    }
    if (undecrypted > 0) {
      LOG.error(
          "Could not decrypt the secrets of API keys: is their master key missing? count={}",
          undecrypted);
    }
    return new Snapshot(
        stamp, stored.stream().map(PostgresApiKeys.Stored::key).toList(), Map.copyOf(usable));
  }

  @Override
  public void close() {
    watch.close();
  }

  /// An API key without its secret, as operators see it.
  ///
  /// @param id public; the `keyid` of a signature
  /// @param name owner, in the operator's words
  /// @param expiresAt null for no expiry
  /// @param revokedAt null when not revoked
  public record ApiKey(
      String id,
      String name,
      Instant createdAt,
      String createdBy,
      @Nullable Instant expiresAt,
      @Nullable Instant revokedAt) {
    public boolean isLive(Instant now) {
      return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
    }
  }
}
