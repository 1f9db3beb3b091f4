package fairgate.operator;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderStatus;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// `GET /api/admin/orders`: the ledger in pages, newest first.
final class OrderAdmin {
  private final Ledger ledger;

  OrderAdmin(Ledger ledger) {
    this.ledger = ledger;
  }

  Reply list(Request request) throws TimeoutException {
    List<LedgerOrder> page =
        ledger
            .orders(product(request), status(request), after(request), AdminQuery.limit(request))
            .await(5, TimeUnit.SECONDS);
    JsonText orders = JsonText.array();
    for (LedgerOrder order : page) {
      orders = orders.add(json(order));
    }
    JsonText body = JsonText.object().put("orders", orders);
    if (page.size() == AdminQuery.limit(request)) {
      body = body.put("after", page.getLast().id().value());
    }
    return Reply.json(200, body.bytes());
  }

  private static @Nullable ProductId product(Request request) {
    String id = request.query("product_id");
    if (id == null) {
      return null;
    }
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    return new ProductId(id);
  }

  private static @Nullable OrderStatus status(Request request) {
    String word = request.query("status");
    if (word == null) {
      return null;
    }
    return Arrays.stream(OrderStatus.values())
        .filter(status -> status.wire().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidRequest(
                    "status",
                    "not_one_of",
                    String.join(
                        ", ",
                        Arrays.stream(OrderStatus.values()).map(OrderStatus::wire).toList())));
  }

  private static @Nullable OrderId after(Request request) {
    String id = request.query("after");
    if (id == null) {
      return null;
    }
    if (!OrderId.isValid(id)) {
      throw new InvalidRequest("after", "bad_format");
    }
    return new OrderId(id);
  }

  private static JsonText json(LedgerOrder order) {
    LedgerOrder.State standing = order.standing();
    Instant payBy = standing.payBy();
    Instant paidAt = standing.paid().at();
    return JsonText.object()
        .put("order_id", order.id().value())
        .put("product_id", order.id().product().value())
        .put("session_id", order.buyer().session())
        .put("user_id", order.buyer().user())
        .put("quantity", order.quantity())
        .put("amount", order.amount().minorUnits())
        .put("currency", order.amount().currency())
        .put("status", standing.status().wire())
        .put("created_at", standing.createdAt().toEpochMilli())
        .put("pay_by", payBy == null ? 0 : payBy.toEpochMilli())
        .put("paid_at", paidAt == null ? 0 : paidAt.toEpochMilli())
        .put("payment_id", standing.paid().payment());
  }
}
