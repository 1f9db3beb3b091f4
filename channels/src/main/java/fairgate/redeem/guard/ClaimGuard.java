package fairgate.redeem.guard;

import fairgate.platform.feature.Feature.Infra;
import java.time.Duration;

/// The guard at the claims' door, put together.
public record ClaimGuard(ClaimBudget budget, ClaimBans bans, FailureLog failures)
    implements AutoCloseable {
  /// Wires the guard; nothing runs before `start`.
  ///
  /// @param limited whether budgets and bans apply
  /// @param kept retention of the failure log
  public static ClaimGuard wire(
      ClaimBudget.Config config, boolean limited, Duration kept, Infra infra) {
    ClaimBans bans =
        new PostgresClaimBans(infra.postgres(), infra.redis(), infra.clock(), infra.audit());
    ClaimBudget budget =
        limited
            ? new RedisClaimBudget(infra.redis(), config, infra.ids()::nonce, bans::record)
            : ClaimBudget.unlimited();
    return new ClaimGuard(
        budget, bans, new FailureLog(infra.postgres(), infra.clock(), kept, infra.metrics()));
  }

  public void start() {
    failures.start();
  }

  @Override
  public void close() {
    failures.close();
  }
}
