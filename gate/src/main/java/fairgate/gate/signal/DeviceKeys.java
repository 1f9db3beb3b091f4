package fairgate.gate.signal;

import fairgate.gate.challenge.HashingPool;
import fairgate.gate.signal.DeviceProof.Result;
import fairgate.gate.signal.PlaceSource.Places;
import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.SingleUse;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Device keys: verifies the proof of a join or a purchase once per request, stores the key with
/// the place, and remembers the accounts and browsers that use it.
///
/// A proof can be used once. A purchase with an idempotency key is the exception: the proof is
/// bound to that key, so a repeat is the same purchase.
public final class DeviceKeys {
  static final String JOIN = "/api/queue/join";
  static final String PURCHASE = "/api/purchase";
  private static final String IDEMPOTENCY_KEY = "idempotency-key";

  /// Accounts with one key are remembered this long after the last of them.
  private static final Duration LIFE = Duration.ofDays(30);

  /// The maximum difference between nodes' clocks.
  private static final Duration MARGIN = Duration.ofMinutes(1);

  private final SharedByScript script;
  private final SingleUse proofs;
  private final SignalKeys keys;
  private final Places places;
  private final Clock clock;
  private final HashingPool pool;
  private final Map<Class<? extends Result>, Counter> counters = new HashMap<>();

  private final Map<Request, Result> results = new ConcurrentHashMap<>();

  DeviceKeys(
      RedisClient redis,
      SignalKeys keys,
      Places places,
      Clock clock,
      HashingPool pool,
      Metrics metrics) {
    this.script = new SharedByScript(redis);
    this.proofs = new SingleUse(redis);
    this.keys = keys;
    this.places = places;
    this.clock = clock;
    this.pool = pool;
    counters.put(Result.Absent.class, counter(metrics, "absent"));
    counters.put(Result.Valid.class, counter(metrics, "valid"));
    counters.put(Result.Invalid.class, counter(metrics, "invalid"));
    counters.put(Result.Used.class, counter(metrics, "used"));
    counters.put(Result.Unchecked.class, counter(metrics, "unchecked"));
  }

  private static Counter counter(Metrics metrics, String result) {
    return metrics.counter(
        "fairgate_device_proofs_total",
        "Joins and purchases by the proof of possession of a device key",
        "result",
        result);
  }

  /// Verifies the proof of a join or purchase in a pool, because a signature check costs as much as
  /// many joins. Under a flood proofs stay unchecked instead of being late. The result is kept
  /// until [#left].
  Future<Result> verify(Request request) {
    String proof = request.header(DeviceProof.HEADER);
    if (proof == null) {
      return Future.succeededFuture(counted(new Result.Absent()));
    }
    DeviceProof.Expected expected = expected(request);
    results.put(request, new Result.Unchecked());
    return pool.run(
            () -> DeviceProof.verify(proof, expected, clock.millis()),
            (Result) new Result.Unchecked())
        .compose(result -> used(request, result))
        .map(
            result -> {
              var _ = results.computeIfPresent(request, (_, _) -> result);
              return counted(result);
            });
  }

  /// Marks a valid proof as used. Unchecked when Redis does not answer, because a replay cannot be
  /// ruled out then.
  private Future<Result> used(Request request, Result result) {
    if (!(result instanceof Result.Valid(String thumbprint, String id, long until))
        || isBoundToPurchase(request)) {
      return Future.succeededFuture(result);
    }
    Duration left = Duration.ofMillis(Math.max(0, until - clock.millis())).plus(MARGIN);
    return proofs
        .use(keys.proof(keys.deviceKeyHash(thumbprint), id), left)
        .map(isFirst -> isFirst ? result : new Result.Used())
        .otherwise(new Result.Unchecked());
  }

  private static boolean isBoundToPurchase(Request request) {
    return request.path().equals(PURCHASE) && request.header(IDEMPOTENCY_KEY) != null;
  }

  private Result counted(Result result) {
    Objects.requireNonNull(counters.get(result.getClass())).increment();
    return result;
  }

  void left(Request request) {
    results.remove(request);
  }

  Result of(Request request) {
    return results.getOrDefault(request, new Result.Absent());
  }

  /// The hash of a valid proof's key; empty without one.
  Optional<String> hash(Result result) {
    return result instanceof Result.Valid(String thumbprint, String _, long _)
        ? Optional.of(keys.deviceKeyHash(thumbprint))
        : Optional.empty();
  }

  /// What the place tells, such as the key with which it was taken.
  Future<Places.Evidence> ofPlace(ProductId product, SessionId session) {
    return places.of(product, session);
  }

  /// The accounts or browsers with this key, the caller included: the larger number, because a
  /// guest who signs in is one person.
  Future<Integer> owners(String keyHash, Caller caller) {
    return script
        .count(keys.deviceKey(keyHash), member(keys, caller))
        .map(shared -> Math.max(1, Math.max(shared.accounts(), shared.browsers())));
  }

  /// A join has given or found a place: stores the key of its proof.
  public Future<Void> joined(Request request, ProductId product, SessionId session) {
    Optional<String> hash = hash(of(request));
    return hash.isEmpty()
        ? Future.succeededFuture()
        : places
            .remember(product, session, hash.get())
            .compose(
                _ ->
                    script.remember(
                        keys.deviceKey(hash.get()), member(keys, request.caller()), LIFE))
            .mapEmpty();
  }

  static SharedByScript.Member member(SignalKeys keys, Caller caller) {
    DeviceId device = caller.device();
    String account = caller.account();
    return new SharedByScript.Member(
        account == null ? "" : keys.member("account", account),
        device == null ? "" : keys.member("browser", device.value()));
  }

  /// A join is bound to its challenge, and a purchase to its session and its idempotency key.
  private static DeviceProof.Expected expected(Request request) {
    Map<String, String> claims = new HashMap<>();
    String product = text(request, "product_id");
    if (product != null) {
      claims.put("product_id", product);
    }
    if (request.path().equals(JOIN)) {
      String token = text(request, "turnstile_token");
      claims.put("challenge", DeviceProof.digest(token == null ? "" : token));
    } else {
      SessionId session = SessionOf.optional(request);
      claims.put("session_id", session == null ? "" : session.value());
      String key = request.header(IDEMPOTENCY_KEY);
      if (key != null) {
        claims.put("idempotency_key", key);
      }
    }
    return new DeviceProof.Expected("POST", request.path(), claims);
  }

  /// A text of the body; null when there is none.
  static @Nullable String text(Request request, String field) {
    try {
      return request.json().optionalText(field);
    } catch (InvalidRequest e) {
      // The route refuses the body.
      return null;
    }
  }
}
