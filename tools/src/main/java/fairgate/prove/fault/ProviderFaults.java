package fairgate.prove.fault;

import fairgate.crowd.proof.Gateway;
import fairgate.prove.environment.Waiting;
import java.time.Duration;

/// Harm to the payment provider.
final class ProviderFaults {
  /// Longer than the servers need to notice it.
  private static final long AWAY_MS = 8_000;

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int CALLS = 3;

  private ProviderFaults() {}

  /// The provider answers every call with 503, and nobody can pay there. It hits when servers call.
  static boolean away(FaultContext site) {
    Gateway gateway = site.people().gateway();
    int before = gateway.failedCalls();
    gateway.fail(true);
    try {
      Waiting.rest(AWAY_MS + site.about(4_000));
      return Waiting.holds(PATIENCE, () -> gateway.failedCalls() >= before + CALLS);
    } finally {
      gateway.fail(false);
    }
  }
}
