package fairgate.room.check;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.room.Room;
import fairgate.room.RoomService;
import fairgate.room.check.GateCheck.CheckOutcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/// The answers to proxies, in their dialects.
final class CheckReplies {
  private static final String PASS_HEADER = "x-fairgate-pass";
  private static final int RETRY_SECONDS = 10;
  private static final Reply NO_CONTENT = uncached(Reply.noContent());
  private static final Reply OK = uncached(Reply.text(200, ""));

  private CheckReplies() {}

  /// The answer for a request with a pass, which the shop gets as a header.
  static Reply admitted(Reply plain, String token) {
    return uncached(plain).header(PASS_HEADER, token);
  }

  /// The answer for a visitor with a new pass, which the browser gets as a cookie.
  static Reply admitted(OriginalRequest.Dialect dialect, Room room, RoomStates.NewPass pass) {
    Reply plain = dialect == OriginalRequest.Dialect.ENVOY ? OK : NO_CONTENT;
    return renewed(admitted(plain, pass.token()), room, pass);
  }

  static Reply renewed(Reply reply, Room room, RoomStates.NewPass pass) {
    return reply.cookie(RoomService.passCookie(room.id()), pass.token(), pass.maxAge());
  }

  /// The answer to the proxy.
  ///
  /// @param now the time that a waiting program sees as `lastUpdated`
  static Reply of(OriginalRequest.Dialect dialect, CheckOutcome outcome, Instant now) {
    boolean ok = dialect == OriginalRequest.Dialect.ENVOY;
    return switch (outcome) {
      case CheckOutcome.Admitted(_, VerifiedPasses.Verified pass, _) ->
          ok ? pass.ok() : pass.noContent();
      case CheckOutcome.Unprotected _ -> ok ? OK : NO_CONTENT;
      case CheckOutcome.Waiting waiting -> waiting(dialect, waiting, now);
      case CheckOutcome.WalkIn(_, CheckOutcome.Waiting waiting) -> waiting(dialect, waiting, now);
      // nginx takes every status except 401 and 403 for an error.
      case CheckOutcome.Refused(CheckOutcome.Problem problem) ->
          uncached(
              Reply.refuse(
                  403,
                  Refusal.of(ErrorCode.FORBIDDEN)
                      .with("reason", problem.name().toLowerCase(Locale.ROOT))));
    };
  }

  private static Reply waiting(
      OriginalRequest.Dialect dialect, CheckOutcome.Waiting waiting, Instant now) {
    if (dialect == OriginalRequest.Dialect.NGINX) {
      Reply reply = Reply.text(401, "").header("retry-after", Integer.toString(RETRY_SECONDS));
      return uncached(
          waiting.navigation()
              ? reply.header("x-fairgate-location", waiting.page())
              : reply.header("x-fairgate-json", json(waiting.page(), now)));
    }
    return uncached(
        waiting.navigation()
            ? Reply.redirect(302, waiting.page())
            : Reply.json(429, json(waiting.page(), now))
                .header("retry-after", Integer.toString(RETRY_SECONDS)));
  }

  /// What a program reads. The members have the names of Cloudflare's waiting room, so that a
  /// client for one understands the other; `location` is the page where a browser waits.
  private static String json(String page, Instant now) {
    JsonText room =
        JsonText.object()
            .put("inWaitingRoom", true)
            .put("waitTimeKnown", false)
            .put("waitTime", 0)
            .put("waitTimeFormatted", "unavailable")
            .put("queueIsFull", false)
            .put("queueAll", false)
            .put("lastUpdated", now.truncatedTo(ChronoUnit.SECONDS).toString())
            .put("refreshIntervalSeconds", RETRY_SECONDS);
    return JsonText.object().put("cfWaitingRoom", room).put("location", page).toString();
  }

  private static Reply uncached(Reply reply) {
    return reply.header("cache-control", "no-store");
  }
}
