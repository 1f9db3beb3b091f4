package fairgate.line;

import static fairgate.platform.http.RouteLimits.PAGE;
import static fairgate.platform.http.RouteLimits.WEBHOOK;

import fairgate.kernel.ErrorCode;
import fairgate.line.Inbox.OwnedEvent;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonSyntaxException;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// `POST /line/webhook` and the join links.
final class LineRoutes {
  /// LINE publishes no limit; a webhook of a hundred texts of maximum length fits.
  private static final int BODY_LIMIT = 2 * 1024 * 1024;

  private static final Reply TAKEN = Reply.json(200, "{\"success\":true}");

  private final LineSignature signature;
  private final Inbox inbox;
  private final JoinTokens tokens;
  private final LineMeters meters;
  private final Consumer<List<OwnedEvent>> next;

  /// @param next receives the new events; must not block
  LineRoutes(
      LineSignature signature,
      Inbox inbox,
      JoinTokens tokens,
      LineMeters meters,
      Consumer<List<OwnedEvent>> next) {
    this.signature = signature;
    this.inbox = inbox;
    this.tokens = tokens;
    this.meters = meters;
    this.next = next;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/line/webhook", this::webhook).limits(WEBHOOK).withBodyLimit(BODY_LIMIT),
        Route.get("/line/join/{token}", this::join).limits(PAGE));
  }

  /// Acknowledges the webhook as soon as the events are stored. They are processed afterwards.
  private Future<Reply> webhook(Request request) {
    long start = System.nanoTime();
    if (!signature.verifies(request.header(LineSignature.HEADER), request.body())) {
      meters.badSignatures().increment();
      return Future.succeededFuture(Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED)));
    }
    EventReader.Events events = read(request.body());
    meters.ignored().increment(events.ignored());
    if (events.events().isEmpty()) {
      acknowledged(start);
      return Future.succeededFuture(TAKEN);
    }
    return inbox
        .accept(events.events())
        .map(
            owned -> {
              next.accept(owned);
              acknowledged(start);
              return TAKEN;
            });
  }

  /// Stores the token in a cookie and redirects to the sale. An expired or altered link redirects
  /// to the shop.
  private Future<Reply> join(Request request) {
    String token = request.pathParam("token");
    return Future.succeededFuture(
        tokens
            .read(token)
            .map(
                link ->
                    Reply.redirect(303, "/p/" + link.product().value())
                        .cookie(Bindings.COOKIE, token, JoinTokens.LIFE))
            .orElseGet(() -> Reply.redirect(303, "/"))
            .header("cache-control", "no-store")
            .header("referrer-policy", "no-referrer"));
  }

  private void acknowledged(long start) {
    meters.ack().record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
  }

  private static EventReader.Events read(byte[] body) {
    try {
      return EventReader.read(body);
    } catch (JsonSyntaxException e) {
      throw new InvalidRequest("", e.problem().key());
    }
  }
}
