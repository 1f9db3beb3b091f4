package fairgate.account.message;

import fairgate.account.message.MessageSender.Result;
import fairgate.platform.http.HttpPost.Answer;
import java.time.Duration;
import java.util.Set;

/// What the HTTP replies of gateways mean.
final class GatewayAnswers {
  /// The request itself is wrong, so a repeat would be refused as well. Other errors below 500,
  /// such as 401 and 404, are mistakes in the settings, which an operator may correct in time.
  private static final Set<Integer> REFUSALS = Set.of(400, 413, 422);

  /// The service behind a proxy may have accepted the message.
  private static final Set<Integer> DOUBTFUL = Set.of(500, 502, 504);

  private GatewayAnswers() {}

  static Result judge(Answer answer) {
    return switch (answer) {
      case Answer.NotReached(String reason) -> new Result.NotSent(reason, Duration.ZERO);
      case Answer.NoReply(String reason) -> new Result.Unknown(reason);
      case Answer.Reply reply -> judge(reply);
    };
  }

  private static Result judge(Answer.Reply reply) {
    String reason = "status " + reply.status();
    if (reply.isSuccess()) {
      return new Result.Sent();
    }
    if (REFUSALS.contains(reply.status())) {
      return new Result.Refused(reason);
    }
    return DOUBTFUL.contains(reply.status())
        ? new Result.Unknown(reason)
        : new Result.NotSent(reason, reply.retryAfter());
  }
}
