package fairgate.app.pages;

import fairgate.platform.http.StatusOf;
import fairgate.redeem.ClaimOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The reason for a claim without a code: `claim.no.<name>` is its text, `claim.no.<name>.more` the
/// advice.
///
/// @param platforms platforms for choice when the number does not identify one
record ClaimProblem(
    String name, int status, Optional<Duration> retryAfter, List<String> platforms) {
  private static final int BAD_ORDER = 400;

  static ClaimProblem of(String name) {
    return new ClaimProblem(name, BAD_ORDER, Optional.empty(), List.of());
  }

  /// Whether the visitor should check the order number.
  boolean isOfNumber() {
    return name.equals("no_number") || name.equals("order_not_found");
  }

  /// Throws IllegalArgumentException for a successful claim.
  static ClaimProblem of(ClaimOutcome outcome) {
    return switch (outcome) {
      case ClaimOutcome.NoOrderNumber() -> of("no_number");
      case ClaimOutcome.Ambiguous(List<String> platforms) ->
          new ClaimProblem("ambiguous", BAD_ORDER, Optional.empty(), platforms);
      case ClaimOutcome.Refused refused -> of(nameOf(refused));
      case ClaimOutcome.Failed failed ->
          new ClaimProblem(
              nameOf(failed),
              StatusOf.code(failed.refusal().code()),
              Optional.ofNullable(failed.refusal().retryAfter()),
              List.of());
      case ClaimOutcome.Claimed _ -> throw new IllegalArgumentException("the claim has succeeded");
    };
  }

  private static String nameOf(ClaimOutcome.Failed failed) {
    return failed.refusal().code().name().toLowerCase(Locale.ROOT);
  }
}
