package fairgate.sale.payment;

import fairgate.platform.json.JsonText;
import org.jspecify.annotations.Nullable;

/// An order as its owner sees it; times in milliseconds since the epoch.
final class OrderJson {
  private OrderJson() {}

  static byte[] of(Order order, @Nullable String paymentUrl) {
    JsonText json =
        JsonText.object()
            .put("success", true)
            .put("order_id", order.id().value())
            .put("product_id", order.id().product().value())
            .put("quantity", order.quantity())
            .put("amount", order.amount().minorUnits())
            .put("currency", order.amount().currency())
            .put("status", order.status().wire())
            .put("created_at", order.createdAt());
    json = order.payBy() == 0 ? json.putAny("pay_by", null) : json.put("pay_by", order.payBy());
    return json.put("payment_url", paymentUrl).put("remaining_stock", order.remaining()).bytes();
  }
}
