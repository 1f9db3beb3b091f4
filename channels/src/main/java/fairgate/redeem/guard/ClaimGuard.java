package fairgate.redeem.guard;

import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.InstantSource;

/// The guard at the claims' door, put together.
public record ClaimGuard(ClaimBudget budget, ClaimBans bans, FailureLog failures)
    implements AutoCloseable {
  /// The dependencies.
  public record Dependencies(
      Vertx vertx,
      RedisClient redis,
      PostgresDatabase postgres,
      Ids ids,
      InstantSource clock,
      Metrics metrics,
      Audit audit) {}

  /// Wires the guard; nothing runs before `start`.
  ///
  /// @param limited whether budgets and bans apply
  /// @param kept retention of the failure log
  public static ClaimGuard wire(
      ClaimBudget.Config config, boolean limited, Duration kept, Dependencies parts) {
    ClaimBans bans =
        new PostgresClaimBans(parts.postgres(), parts.redis(), parts.clock(), parts.audit());
    ClaimBudget budget =
        limited
            ? new RedisClaimBudget(parts.redis(), config, parts.ids()::nonce, bans::record)
            : ClaimBudget.unlimited();
    return new ClaimGuard(
        budget, bans, new FailureLog(parts.postgres(), parts.clock(), kept, parts.metrics()));
  }

  /// Starts the periodic jobs.
  public void start() {
    failures.start();
  }

  @Override
  public void close() {
    failures.close();
  }
}
