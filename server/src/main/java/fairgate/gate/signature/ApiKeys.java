package fairgate.gate.signature;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The keys programs sign with, readable from memory on any thread, and the changes operators make.
///
/// The picture in memory is this node's own changes at once and those of other nodes within half a
/// second; while PostgreSQL is away it stands still. Changes block: they are for virtual threads,
/// and throw ServiceUnavailable when PostgreSQL cannot answer. A key is replaced by making a new
/// one and revoking the old one later.
public final class ApiKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApiKeys.class);
  private static final String HMAC = "HmacSHA256";
  private static final long LOOK_EVERY_MS = 500;
  private static final long FIRST_LOAD_S = 10;
  private static final int MOST_LIVE = 1_000;

  private final Vertx vertx;
  private final PostgresApiKeys store;
  private final KeySeal seal;
  private final Ids ids;
  private final Clock clock;
  private final long timer;
  private volatile Snapshot snapshot = new Snapshot("", List.of(), Map.of());
  private volatile boolean looking;

  private record Snapshot(String stamp, List<ApiKey> all, Map<String, Usable> usable) {}

  /// A key that was just made.
  ///
  /// @param secret base64 of 32 bytes; shown now and never again
  public record Made(ApiKey key, String secret) {
    /// Without the secret.
    @Override
    public String toString() {
      return "Made[key=" + key + ", secret=[redacted]]";
    }
  }

  /// A key that can sign, ready to.
  static final class Usable {
    private final ApiKey key;
    private final Mac mac;

    private Usable(ApiKey key, byte[] secret) {
      this.key = key;
      try {
        this.mac = Mac.getInstance(HMAC);
        mac.init(new SecretKeySpec(secret, HMAC));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
      }
    }

    byte[] mac(byte[] text) {
      try {
        // A copy: the same one must not be used by two threads.
        return ((Mac) mac.clone()).doFinal(text);
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("HMAC-SHA256 of this Java cannot be copied", e);
      }
    }
  }

  private ApiKeys(Vertx vertx, PostgresDatabase database, KeyRing keys, Ids ids, Clock clock) {
    this.vertx = vertx;
    this.store = new PostgresApiKeys(database);
    this.seal = new KeySeal(keys, ids);
    this.ids = ids;
    this.clock = clock;
    this.timer = vertx.setPeriodic(LOOK_EVERY_MS, _ -> look());
  }

  /// Loads all keys; blocks until they are there.
  ///
  /// @param keys seal the secrets (purpose `api-key-seal`)
  static ApiKeys open(Vertx vertx, PostgresDatabase database, KeyRing keys, Ids ids, Clock clock) {
    ApiKeys made = new ApiKeys(vertx, database, keys, ids, clock);
    try {
      made.refresh();
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// All keys there ever were, the oldest first.
  public List<ApiKey> all() {
    return snapshot.all();
  }

  /// Makes a key; empty when there are too many live ones. Blocks.
  ///
  /// @param expiresAt null = never
  public Optional<Made> create(String name, @Nullable Instant expiresAt, String actor) {
    String id = "ak_" + ids.nonce();
    byte[] secret = new byte[32];
    byte[] half = Base64.getUrlDecoder().decode(ids.nonce());
    System.arraycopy(half, 0, secret, 0, 16);
    System.arraycopy(Base64.getUrlDecoder().decode(ids.nonce()), 0, secret, 16, 16);
    Optional<Made> made =
        store
            .add(id, name, actor, expiresAt, seal.seal(id, secret), MOST_LIVE)
            .map(key -> new Made(key, Base64.getEncoder().encodeToString(secret)));
    seen();
    return made;
  }

  /// Ends a key on all nodes; a repeat changes nothing. Empty when there is no such key. Blocks.
  public Optional<ApiKey> revoke(String id, String actor) {
    Optional<ApiKey> revoked = store.revoke(id, actor);
    seen();
    return revoked;
  }

  /// The key, if it can sign now.
  Optional<Usable> usable(String id) {
    return Optional.ofNullable(snapshot.usable().get(id))
        .filter(usable -> usable.key.isLive(clock.instant()));
  }

  /// Reads all keys again now; blocks. Throws ServiceUnavailable.
  public void refresh() {
    try {
      load().await(FIRST_LOAD_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the API keys did not load", Duration.ofSeconds(1));
    }
  }

  private void seen() {
    try {
      refresh();
    } catch (ServiceUnavailable e) {
      // The change is made; the next look will show it.
      LOG.warn("the API keys could not be read again: {}", e.getMessage());
    }
  }

  private void look() {
    if (looking) {
      return;
    }
    looking = true;
    Snapshot had = snapshot;
    store
        .stamp()
        .compose(stamp -> stamp.equals(had.stamp()) ? Future.succeededFuture() : load())
        .onFailure(e -> LOG.debug("the API keys could not be read: {}", e.getMessage()))
        .onComplete(_ -> looking = false);
  }

  /// The stamp is read before the keys: a change in between is then seen at the next look.
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
    Map<String, Usable> usable = new HashMap<>();
    int shut = 0;
    for (PostgresApiKeys.Stored one : stored) {
      if (one.key().revokedAt() == null) {
        Optional<byte[]> secret = seal.open(one.key().id(), one.secret());
        secret.ifPresent(bytes -> usable.put(one.key().id(), new Usable(one.key(), bytes)));
        shut += secret.isPresent() ? 0 : 1;
      }
    }
    if (shut > 0) {
      LOG.error("the secrets of {} API keys cannot be opened: is their master key gone?", shut);
    }
    return new Snapshot(
        stamp, stored.stream().map(PostgresApiKeys.Stored::key).toList(), Map.copyOf(usable));
  }

  /// Stops looking for changes.
  @Override
  public void close() {
    boolean _ = vertx.cancelTimer(timer);
  }
}
