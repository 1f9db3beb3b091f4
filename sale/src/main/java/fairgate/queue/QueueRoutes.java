package fairgate.queue;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.JOIN;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.catalog.Buyers;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SessionOf;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import fairgate.queue.QueueFeature.JoinWatch;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Serves `/api/queue/*`.
record QueueRoutes(
    QueueService service,
    QueueLoop loop,
    PlaceStreams streams,
    JoinWatch joins,
    Buyers buyers,
    SaleNotices notices) {
  /// Maximum length of a challenge token: an ALTCHA solution has about 700 characters, Turnstile's
  /// at most 2,048.
  private static final int LONGEST_TOKEN = 4_096;

  List<Route> routes() {
    return List.of(
        Route.post("/api/queue/join", this::join).limits(JOIN),
        Route.get("/api/queue/status", this::status).limits(READ.and("session")),
        Route.get("/api/queue/stream", this::stream).limits(READ.and("session").streamed()),
        Route.post("/api/queue/leave", this::leave).limits(ACT));
  }

  private Future<Reply> join(Request request) {
    JsonBody body = request.json();
    String product = body.text("product_id");
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    String token = body.optionalText("turnstile_token");
    // A join of low risk needs no token.
    String sent = token == null ? "" : token;
    if (sent.length() > LONGEST_TOKEN) {
      return Future.succeededFuture(Reply.refuse(ErrorCode.INVALID_TURNSTILE_TOKEN));
    }
    ProductId id = new ProductId(product);
    String invitation = body.optionalText("invitation");
    return buyers
        .check(request, id, invitation == null ? "" : invitation)
        .compose(
            check ->
                switch (check) {
                  case Buyers.Check.Failed(Refusal refusal) ->
                      Future.succeededFuture(Reply.refuse(refusal));
                  case Buyers.Check.Passed passed -> join(request, id, sent, passed);
                });
  }

  private Future<Reply> join(
      Request request, ProductId product, String token, Buyers.Check.Passed passed) {
    return service
        .join(
            new QueueService.JoinRequest(
                product,
                token,
                request.device(),
                SessionOf.optional(request),
                passed.user(),
                passed.tier(),
                request.caller(),
                request))
        .compose(outcome -> tell(request, product, outcome).map(_ -> reply(request, outcome)));
  }

  private Future<Void> tell(Request request, ProductId product, JoinOutcome outcome) {
    return switch (outcome) {
      case JoinOutcome.Joined(SessionId session, int _, Duration life) ->
          joins.tell(request, product, session, life);
      case JoinOutcome.SeatedBehind behind -> tell(request, product, behind.joined());
      case JoinOutcome.AlreadyInQueue(SessionId session, Duration life) ->
          joins.tell(request, product, session, life);
      case JoinOutcome.Refused _ -> Future.succeededFuture();
    };
  }

  private Reply reply(Request request, JoinOutcome outcome) {
    return switch (outcome) {
      case JoinOutcome.Joined joined -> joined(request, joined, joinJson(request, joined));
      case JoinOutcome.SeatedBehind(JoinOutcome.Joined joined, Seat seat, var why) -> {
        JsonText json = joinJson(request, joined).put("seat", seat.wire());
        why.forEach(json::putAny);
        yield joined(request, joined, json);
      }
      case JoinOutcome.AlreadyInQueue(SessionId session, Duration life) ->
          // The caller has proved to be this session or device, so it may know its own place.
          SessionOf.remember(
              Reply.refuse(
                  Refusal.of(ErrorCode.ALREADY_IN_QUEUE).with("session_id", session.value())),
              request,
              session,
              life);
      case JoinOutcome.Refused refused -> Reply.refuse(refused.refusal());
    };
  }

  private static JsonText joinJson(Request request, JoinOutcome.Joined joined) {
    return JsonText.object()
        .put("success", true)
        .put("session_id", joined.session().value())
        .put("queue_position_waiting", joined.position())
        .put("queue_status", Place.Status.WAITING.wire())
        .put("message", Messages.text(request.language(), "success.join"));
  }

  private static Reply joined(Request request, JoinOutcome.Joined joined, JsonText json) {
    return SessionOf.remember(
        Reply.json(200, json.bytes()), request, joined.session(), joined.life());
  }

  private Future<Reply> status(Request request) {
    SessionId session = SessionOf.required(request);
    return service
        .look(session, request::caller)
        .map(
            found ->
                found
                    .map(view -> status(request, view))
                    .orElseGet(() -> Reply.refuse(ErrorCode.SESSION_NOT_FOUND)));
  }

  /// Renews the session cookie, so that a browser keeps it as long as the session lives.
  private Reply status(Request request, Place.View view) {
    service.polled(view.place());
    Reply reply = Reply.json(200, PlaceJson.bytes(view, notices.of(view.place().product())));
    Place place = view.place();
    return place.renewed()
        ? SessionOf.keep(reply, request, place.session(), place.sessionLife())
        : reply;
  }

  private Future<Reply> stream(Request request) {
    SessionId session = SessionOf.required(request);
    String last = request.header("last-event-id");
    Caller caller = request.caller();
    return service
        .look(session, () -> caller)
        .map(
            found ->
                found
                    .map(
                        view ->
                            Reply.events(
                                stream ->
                                    streams.open(
                                        new PlaceStreams.Listener(session, caller),
                                        view,
                                        last == null ? "" : last,
                                        stream)))
                    .orElseGet(() -> Reply.refuse(ErrorCode.SESSION_NOT_FOUND)));
  }

  private Future<Reply> leave(Request request) {
    SessionId session = SessionOf.required(request);
    return service
        .leave(session)
        .map(
            outcome ->
                switch (outcome) {
                  case LeaveOutcome.Left(ProductId product) -> {
                    loop.soon(product);
                    yield Reply.json(
                        200,
                        JsonText.object()
                            .put("success", true)
                            .put("session_id", session.value())
                            .put("message", Messages.text(request.language(), "success.leave")));
                  }
                  case LeaveOutcome.NotInQueue() -> Reply.refuse(ErrorCode.NOT_IN_QUEUE);
                  case LeaveOutcome.UnknownSession() -> Reply.refuse(ErrorCode.SESSION_NOT_FOUND);
                });
  }
}
