package fairgate.gate.risk;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// How far risk takes effect on this server.
public enum RiskMode {
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

  public static Optional<RiskMode> named(String word) {
    return Arrays.stream(values()).filter(mode -> mode.word().equals(word)).findFirst();
  }
}
