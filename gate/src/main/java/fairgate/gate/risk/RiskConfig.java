package fairgate.gate.risk;

import java.time.Duration;

/// Settings of risk.
///
/// @param skipsChallenge whether the action `pass` lets a join pass without a challenge
/// @param kept time after which decisions and their outcomes are deleted
/// @param waiting decisions that may wait to be written on this node; more are dropped
/// @param patience time for which a decision waits for its sources of features
public record RiskConfig(
    RiskMode mode, boolean skipsChallenge, Duration kept, int waiting, Duration patience) {
  /// The defaults.
  public static RiskConfig defaults() {
    return new RiskConfig(
        RiskMode.ENFORCE, true, Duration.ofDays(30), 20_000, Duration.ofMillis(50));
  }

  /// A copy in another mode.
  public RiskConfig in(RiskMode other) {
    return new RiskConfig(other, skipsChallenge, kept, waiting, patience);
  }
}
