package fairgate.gate.risk;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What became of a decision later.
public enum OutcomeKind {
  PAID,
  /// The reservation expired unpaid.
  UNPAID,
  /// The buyer cancelled before payment.
  CANCELLED,
  REFUNDED,
  APPEAL_WON,
  APPEAL_LOST;

  /// The value in the view `decision_outcomes`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<OutcomeKind> named(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }
}
