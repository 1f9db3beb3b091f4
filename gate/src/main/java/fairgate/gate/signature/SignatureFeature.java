package fairgate.gate.signature;

import fairgate.gate.limit.LimitFacts;
import fairgate.gate.limit.LimitFeature.Inspector;
import fairgate.gate.signature.SignatureGuard.SignatureMeters;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.SingleUse;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Wires signed requests: the keys, the verification, and a guard for the web server.
public final class SignatureFeature implements AutoCloseable {
  private final ApiKeys keys;
  private final SignatureService service;
  private final SignatureConfig config;
  private final SingleUse nonces;
  private final String tag;
  private final SignatureMeters meters;

  private SignatureFeature(ApiKeys keys, SignatureConfig config, Dependencies parts) {
    this.keys = keys;
    this.config = config;
    this.service = new SignatureService(keys, parts.clock(), config.skew());
    this.nonces = new SingleUse(parts.redis());
    this.tag = parts.redis().tag(LimitFacts.TAG);
    this.meters = SignatureMeters.of(parts.metrics());
  }

  public record Dependencies(
      RedisClient redis,
      PostgresDatabase postgres,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics) {}

  /// Loads the keys. Blocks. Throws IllegalArgumentException when the settings have errors.
  public static SignatureFeature wire(SignatureConfig config, Dependencies parts) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    ApiKeys keys = ApiKeys.open(parts.postgres(), parts.keys(), parts.ids(), parts.clock());
    return new SignatureFeature(keys, config, parts);
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin, Clock clock) {
    return new ApiKeyAdmin(keys, clock).routes(admin);
  }

  /// An inspector that passes the nonces to the limits, which spend them.
  public Inspector inspector() {
    return SignatureGuard::tell;
  }

  /// A guard for the API, to run before the limits.
  ///
  /// @param next the limits' guard, which uses [#inspector]; null without limits
  public Guard guard(@Nullable Guard next) {
    return new SignatureGuard(service, config, nonces, tag, meters, next);
  }

  @Override
  public void close() {
    keys.close();
  }
}
