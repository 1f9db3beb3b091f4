package fairgate.gate.risk;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// Settings of risk.
///
/// @param skipsChallenge whether the action `pass` lets a join pass without a challenge
/// @param kept time after which decisions and their outcomes are deleted
/// @param waiting decisions that may wait to be written on this node; more are dropped
/// @param patience time for which a decision waits for its sources of features
public record RiskConfig(
    Mode mode, boolean skipsChallenge, Duration kept, int waiting, Duration patience) {
  /// The defaults.
  public static RiskConfig defaults() {
    return new RiskConfig(Mode.ENFORCE, true, Duration.ofDays(30), 20_000, Duration.ofMillis(500));
  }

  /// How far risk takes effect on this server.
  public enum Mode {
    /// Nothing is judged or recorded.
    OFF,
    /// Requests are judged and recorded; no action takes effect.
    OBSERVE,
    /// Actions take effect.
    ENFORCE;

    /// The value of the setting `risk.mode`.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Mode> named(String word) {
      return Arrays.stream(values()).filter(mode -> mode.word().equals(word)).findFirst();
    }
  }
}
