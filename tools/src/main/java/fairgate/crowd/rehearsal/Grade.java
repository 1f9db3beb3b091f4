package fairgate.crowd.rehearsal;

import fairgate.crowd.Answer;
import java.util.Optional;

/// What risk asks a person for or does with it, from the mildest to the hardest; less is not
/// noticed. Named as the actions of the bands.
enum Grade {
  CHALLENGE("challenge"),
  SLIDER("slider"),
  CODE("code"),
  PASSKEY("passkey"),
  BEHIND("seat_behind"),
  HELD("hold"),
  REFUSED("refuse");

  private final String action;

  Grade(String action) {
    this.action = action;
  }

  String action() {
    return action;
  }

  /// The grade that a reply shows; empty when it shows none.
  static Optional<Grade> of(Answer answer) {
    if (answer.text("decision_id").isEmpty()) {
      return Optional.empty();
    }
    return switch (answer.text("seat")) {
      case "behind" -> Optional.of(BEHIND);
      case "held" -> Optional.of(HELD);
      default ->
          switch (answer.error()) {
            case "RISK_REFUSED" -> Optional.of(REFUSED);
            case "CHALLENGE_REQUIRED" -> Optional.of(ofStep(answer.text("step")));
            default -> Optional.empty();
          };
    };
  }

  private static Grade ofStep(String step) {
    return switch (step) {
      case "slider" -> SLIDER;
      case "code" -> CODE;
      case "passkey" -> PASSKEY;
      default -> CHALLENGE;
    };
  }
}
