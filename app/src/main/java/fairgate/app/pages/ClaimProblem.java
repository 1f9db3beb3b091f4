package fairgate.app.pages;

import fairgate.kernel.ErrorCode;
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
      case ClaimOutcome.Limited(Duration rest) -> later(ErrorCode.RATE_LIMIT_EXCEEDED, rest);
      case ClaimOutcome.Banned(Duration rest) -> later(ErrorCode.CLIENT_BANNED, rest);
      case ClaimOutcome.Unavailable(Duration rest, boolean _) ->
          later(ErrorCode.SERVICE_UNAVAILABLE, rest);
      case ClaimOutcome.RunOut(Duration rest) -> later(ErrorCode.CODES_RUN_OUT, rest);
      case ClaimOutcome.Refused(ClaimOutcome.Reason reason) ->
          of(reason.name().toLowerCase(Locale.ROOT));
      case ClaimOutcome.Claimed _ -> throw new IllegalArgumentException("the claim has succeeded");
    };
  }

  private static ClaimProblem later(ErrorCode code, Duration rest) {
    return new ClaimProblem(
        code.name().toLowerCase(Locale.ROOT), StatusOf.code(code), Optional.of(rest), List.of());
  }
}
