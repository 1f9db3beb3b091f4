package fairgate.account.identity;

import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import fairgate.platform.text.TypedCode;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/// The replies to requests for one-time codes.
final class CodeReplies {
  private static final Pattern CODE = Pattern.compile("\\d{6}");

  private CodeReplies() {}

  /// The field `code` of a request.
  static String code(JsonBody body) {
    String code = TypedCode.oneTime(body.text("code"));
    if (!CODE.matcher(code).matches()) {
      throw new InvalidRequest("code", "six_digits");
    }
    return code;
  }

  /// @param text key of the message for a code that is on its way
  static Reply sent(Request request, SendCodeOutcome outcome, String text) {
    return switch (outcome) {
      case SendCodeOutcome.Sent(Instant expiresAt) -> accepted(request, expiresAt, text);
      case SendCodeOutcome.Late(Instant expiresAt) ->
          accepted(request, expiresAt, "success.code_late");
      case SendCodeOutcome.CountryRefused() -> throw new InvalidRequest("phone", "phone_country");
      case SendCodeOutcome.TooMany(Duration retryAfter) -> tooMany(retryAfter);
      case SendCodeOutcome.Unsent(Duration retryAfter) -> unavailable(retryAfter);
    };
  }

  private static Reply accepted(Request request, Instant expiresAt, String text) {
    return Reply.json(
        202,
        JsonText.object()
            .put("success", true)
            .put("expires_at", expiresAt.toString())
            .put("message", Messages.text(request.language(), text)));
  }

  static Reply tooMany(Duration retryAfter) {
    return Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(retryAfter));
  }

  static Reply unavailable(Duration retryAfter) {
    return Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(retryAfter));
  }
}
