package fairgate.redeem;

import fairgate.gate.risk.Explanation;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The reason for a claim without a code: `claim.no.<name>` is its text, `claim.no.<name>.more` the
/// advice.
///
/// @param platforms platforms for choice when the number does not identify one
/// @param told the explanation of a refusal by risk
/// @param appeal the address of the appeal; empty when there is none
record ClaimProblem(
    String name,
    int status,
    Optional<Duration> retryAfter,
    List<String> platforms,
    Explanation told,
    String appeal) {
  private static final int BAD_ORDER = 400;

  static ClaimProblem of(String name) {
    return new ClaimProblem(name, BAD_ORDER, Optional.empty(), List.of(), Explanation.NONE, "");
  }

  /// Whether the visitor should check the order number.
  boolean isOfNumber() {
    return name.equals("no_number") || name.equals("order_not_found");
  }

  /// Throws IllegalArgumentException for a successful claim.
  ///
  /// @param request to which the claim is the reply
  static ClaimProblem of(ClaimOutcome outcome, Request request) {
    return switch (outcome) {
      case ClaimOutcome.NoOrderNumber() -> of("no_number");
      case ClaimOutcome.Ambiguous(List<String> platforms) ->
          new ClaimProblem(
              "ambiguous", BAD_ORDER, Optional.empty(), platforms, Explanation.NONE, "");
      case ClaimOutcome.Refused refused -> of(nameOf(refused));
      case ClaimOutcome.Failed failed ->
          new ClaimProblem(
              nameOf(failed),
              failed.refusal().code().status(),
              Optional.ofNullable(failed.refusal().retryAfter()),
              List.of(),
              Explanation.of(failed.refusal()),
              appeal(request.decided(failed.refusal())));
      case ClaimOutcome.Claimed _ -> throw new IllegalArgumentException("the claim has succeeded");
    };
  }

  private static String appeal(Refusal refusal) {
    return refusal.details().get("appeal_url") instanceof String url ? url : "";
  }

  private static String nameOf(ClaimOutcome.Failed failed) {
    return failed.refusal().code().name().toLowerCase(Locale.ROOT);
  }
}
