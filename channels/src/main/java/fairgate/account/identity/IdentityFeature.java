package fairgate.account.identity;

import fairgate.account.AccountFeature;
import fairgate.account.Bulkhead;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/// Verified identity, wired.
public record IdentityFeature(IdentityService service, List<Route> routes) {
  private static final int PLACES = 32;
  private static final Duration COME_BACK = Duration.ofSeconds(2);

  public IdentityFeature {
    routes = List.copyOf(routes);
  }

  /// The dependencies.
  ///
  /// @param products whether a product with this id exists
  public record Dependencies(
      AccountFeature accounts,
      RedisClient redis,
      PostgresDatabase postgres,
      KeyRing keys,
      Clock clock,
      Predicate<ProductId> products) {}

  /// The verifier for development, which writes codes into a private file.
  public static IdentityVerifier console(Path file) {
    return new ConsoleVerifier(file);
  }

  public static IdentityFeature wire(IdentityVerifier verifier, Dependencies parts) {
    IdentityService service =
        new IdentityService(
            verifier,
            new OneTimeCodes(parts.redis(), parts.keys(), new SecureRandom()),
            new PostgresIdentities(parts.postgres()),
            parts.accounts().budgets(),
            parts.keys(),
            parts.clock());
    return new IdentityFeature(
        service,
        new IdentityRoutes(
                service,
                parts.accounts().signIn(),
                new Bulkhead("identity", PLACES, COME_BACK),
                parts.products())
            .routes());
  }
}
