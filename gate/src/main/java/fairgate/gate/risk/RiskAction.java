package fairgate.gate.risk;

import fairgate.kernel.Word;
import java.util.Arrays;
import java.util.Optional;

/// What happens to a request, from the mildest to the hardest.
public enum RiskAction implements Word {
  /// Nothing; a join needs no challenge.
  PASS,
  /// The usual challenge, which the page solves in the background.
  SILENT_CHECK,
  /// A challenge of a higher cost.
  CHALLENGE,
  /// A slider, or a challenge of a higher cost for people who cannot use one.
  SLIDER,
  /// A one-time code by SMS or e-mail.
  CODE,
  PASSKEY,
  /// The usual challenge, and a place behind those of lower risk. The buyer is served later, not
  /// refused.
  SEAT_BEHIND,
  /// A place that is not served until an operator has reviewed it.
  HOLD,
  /// Refused, with a reason and a way to appeal.
  REFUSE;

  /// Whether the person notices it.
  public boolean isUsual() {
    return this == PASS || this == SILENT_CHECK;
  }

  public static Optional<RiskAction> named(String word) {
    return Arrays.stream(values()).filter(action -> action.word().equals(word)).findFirst();
  }
}
