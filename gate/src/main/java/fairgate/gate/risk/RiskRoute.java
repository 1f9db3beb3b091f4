package fairgate.gate.risk;

import java.util.Locale;

/// The kinds of requests that are judged.
public enum RiskRoute {
  JOIN,
  PURCHASE,
  CLAIM;

  /// The value of the feature `route`, and the label of metrics.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
