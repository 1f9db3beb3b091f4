package fairgate.gate.risk;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A range of scores, from the lowest risk to the highest. A bundle states where each begins and
/// what happens in it.
public enum RiskBand {
  LOW,
  MEDIUM,
  HIGH,
  SEVERE,
  CRITICAL;

  /// The name in bundles, replies and metrics.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<RiskBand> named(String word) {
    return Arrays.stream(values()).filter(band -> band.word().equals(word)).findFirst();
  }
}
