package fairgate.standby;

import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import fairgate.queue.QueueService;
import fairgate.queue.Seat;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// `POST /api/admin/products/{id}/seats`: moves a place, or a person on the waiting list, whom a
/// decision on risk has seated behind others, after a review. The body with the reason is in the
/// audit log.
final class SeatAdmin {
  private static final int LONGEST_REASON = 500;
  private static final int LONGEST_ID = 64;
  private static final int SECONDS = 5;
  private static final String IN_ORDER = "in_order";

  private final QueueService queue;
  private final StandbyList list;
  private final Counter reversals;

  SeatAdmin(QueueService queue, StandbyList list, Metrics metrics) {
    this.queue = queue;
    this.list = list;
    this.reversals =
        metrics.counter(
            "fairgate_reversals_total",
            "Decisions that operators took back: bans lifted, places put back in order",
            "decision",
            "place");
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingPost(
                "/api/admin/products/{id}/seats",
                admin.guard(AdminInput.body("decision_id", "seat", "reason"), this::move))
            .roles(SUPPORT));
  }

  private Reply move(Request request) {
    JsonBody body = request.json();
    String decision = body.text("decision_id", 1, LONGEST_ID);
    Seat seat = seat(body.text("seat"));
    String _ = AdminInput.reason(body, LONGEST_REASON);
    String id = request.pathParam("id");
    if (!ProductId.isValid(id) || !moved(new ProductId(id), decision, seat)) {
      return Reply.refuse(Refusal.of(ErrorCode.SESSION_NOT_FOUND));
    }
    return Reply.json(
        200,
        JsonText.object()
            .put("product_id", id)
            .put("decision_id", decision)
            .put("seat", seat == Seat.IN_ORDER ? IN_ORDER : seat.wire())
            .bytes());
  }

  private boolean moved(ProductId product, String decision, Seat seat) {
    try {
      Seat.Move place = queue.reseat(product, decision, seat).await(SECONDS, TimeUnit.SECONDS);
      // A place that was given up for the waiting list is there by now.
      Seat.Move move = list.reseat(product, decision, seat).or(place);
      reversals.increment(seat == Seat.IN_ORDER && move == Seat.Move.MOVED ? 1 : 0);
      return move != Seat.Move.NONE;
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(1));
    }
  }

  private static Seat seat(String word) {
    return switch (word) {
      case IN_ORDER -> Seat.IN_ORDER;
      case "behind" -> Seat.BEHIND;
      case "held" -> Seat.HELD;
      default -> throw new InvalidRequest("seat", "not_one_of", "in_order, behind, held");
    };
  }
}
