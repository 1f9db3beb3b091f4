package fairgate.gate.signature;

import fairgate.gate.limit.Inspector;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.Guard;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Signed requests, wired: the keys, the judge, and a guard for the web server.
public final class SignatureFeature implements AutoCloseable {
  private final ApiKeys keys;
  private final SignatureService service;
  private final SignatureConfig config;
  private final RedisNonces nonces;
  private final SignatureMeters meters;

  private SignatureFeature(ApiKeys keys, SignatureConfig config, Parts parts) {
    this.keys = keys;
    this.config = config;
    this.service = new SignatureService(keys, parts.clock(), config.skew());
    this.nonces = new RedisNonces(parts.redis());
    this.meters = SignatureMeters.of(parts.metrics());
  }

  /// What signatures are built on.
  public record Parts(
      Vertx vertx,
      RedisClient redis,
      PostgresDatabase postgres,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics) {}

  /// Loads the keys; blocks. Throws IllegalArgumentException when the settings have problems.
  public static SignatureFeature wire(SignatureConfig config, Parts parts) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    ApiKeys keys =
        ApiKeys.open(parts.vertx(), parts.postgres(), parts.keys(), parts.ids(), parts.clock());
    return new SignatureFeature(keys, config, parts);
  }

  /// For operators.
  public ApiKeys keys() {
    return keys;
  }

  /// Tells handlers who signed a request.
  public SignatureService service() {
    return service;
  }

  /// Tells the limits of nonces to be spent; to be one of their inspectors.
  public Inspector inspector() {
    return SignatureGuard::tell;
  }

  /// Stands before the API, in front of the limits.
  ///
  /// @param next the limits' guard, which hears [#inspector]; null where there are none
  public Guard guard(@Nullable Guard next) {
    return new SignatureGuard(service, config, nonces, meters, next);
  }

  @Override
  public void close() {
    keys.close();
  }
}
