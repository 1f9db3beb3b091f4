package fairgate.standby;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.catalog.Catalog;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.queue.Seat;
import fairgate.standby.StandbyEntry.State;
import java.util.List;
import java.util.Map;

/// `GET /api/admin/products/{id}/waiting-list`: the people on the waiting list of a sale. Blocks.
final class StandbyAdmin {
  private final StandbyList list;
  private final Catalog catalog;

  StandbyAdmin(StandbyList list, Catalog catalog) {
    this.list = list;
    this.catalog = catalog;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/products/{id}/waiting-list",
                admin.guard(AdminInput.query("state", "after", "limit"), this::page))
            .roles(SUPPORT, SELLER));
  }

  private Reply page(Request request) {
    State only = AdminQuery.word(request, "state", State.values(), State::word);
    long after = AdminQuery.number(request, "after", 1, Long.MAX_VALUE, 0);
    int limit = AdminQuery.limit(request);
    String id = request.pathParam("id");
    if (!ProductId.isValid(id) || catalog.find(new ProductId(id)).isEmpty()) {
      return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
    }
    ProductId product = new ProductId(id);
    Map<State, StandbyList.Count> found = list.counts(product);
    JsonText counts = JsonText.object();
    for (State state : State.values()) {
      StandbyList.Count count = found.getOrDefault(state, StandbyList.Count.NONE);
      counts.put(
          state.word(),
          JsonText.object().put("people", count.people()).put("units", count.units()));
    }
    List<StandbyList.Line> lines = list.page(product, after, only, limit);
    JsonText entries = JsonText.array();
    lines.forEach(line -> entries.add(json(line)));
    JsonText body =
        JsonText.object().put("product_id", id).put("counts", counts).put("entries", entries);
    if (lines.size() == limit) {
      body.put("after", lines.getLast().place());
    }
    return Reply.json(200, body.bytes());
  }

  private static JsonText json(StandbyList.Line line) {
    StandbyEntry entry = line.entry();
    OrderId order = entry.order();
    return JsonText.object()
        .put("place", line.place())
        .put("state", entry.state().word())
        .put("quantity", entry.quantity())
        .put("user_id", entry.user())
        .put("device", entry.device())
        .put("order_id", order == null ? null : order.value())
        .put("reason", line.reason())
        .put("seat", entry.seat() == Seat.IN_ORDER ? "in_order" : entry.seat().wire())
        .put("decision_id", entry.decision())
        .put("registered_at", line.registeredAt().toEpochMilli());
  }
}
