package fairgate.sale.webhook;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.json.JsonText;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The webhook message of one order event. It omits the session id, which authorizes access to the
/// order.
///
/// @param id the same for every delivery of the event, so that a receiver can ignore repeats
/// @param type `order.reserved`, `order.extended`, `order.confirmed`, `order.released` or
///   `order.refunded`
record OrderMessage(String id, String type, String body) {
  private static final Map<String, String> TYPES =
      Map.of(
          "reserved", "order.reserved",
          "extended", "order.extended",
          "confirmed", "order.confirmed",
          "released", "order.released",
          "refunded", "order.refunded");

  /// The message for an outbox entry; empty for an entry that is not about an order. For an order
  /// that needs no payment, the entry `reserved` has the status `paid`: it is sent as
  /// `order.confirmed`, and there is no `order.reserved`.
  static Optional<OrderMessage> of(OutboxEntry entry, ProductId product) {
    Map<String, String> fields = entry.fields();
    String entryType = TYPES.get(text(fields, "kind"));
    if (entryType == null) {
      return Optional.empty();
    }
    boolean paidAtOnce =
        entryType.equals("order.reserved") && text(fields, "status").equals("paid");
    String type = paidAtOnce ? "order.confirmed" : entryType;
    String id = OrderMessages.id(product, number(fields, "epoch"), number(fields, "seq"));
    return Optional.of(new OrderMessage(id, type, body(type, fields, product)));
  }

  private static String body(String type, Map<String, String> fields, ProductId product) {
    JsonText data =
        JsonText.object()
            .put("order_id", text(fields, "order"))
            .put("order_number", numberOf(text(fields, "order")))
            .put("product_id", product.value())
            .put("user_id", text(fields, "user"))
            .put("quantity", number(fields, "quantity"))
            .put("amount", number(fields, "amount"))
            .put("currency", text(fields, "currency"))
            .put("status", text(fields, "status"))
            .put("version", number(fields, "version"));
    if (number(fields, "pay_by") > 0) {
      data.put("pay_by", time(number(fields, "pay_by")));
    }
    if (!text(fields, "payment").isEmpty()) {
      data.put("payment_id", text(fields, "payment"));
    }
    if (!text(fields, "reason").isEmpty()) {
      data.put("reason", text(fields, "reason"));
    }
    if (fields.containsKey("refund_amount")) {
      data.put("refund_amount", number(fields, "refund_amount"))
          .put("refund_currency", text(fields, "refund_currency"));
    }
    if (!text(fields, "refund_part").isEmpty()) {
      data.put("refund_part", text(fields, "refund_part"));
    }
    return JsonText.object()
        .put("type", type)
        .put("timestamp", time(number(fields, "at")))
        .put("data", data)
        .toString();
  }

  private static @Nullable String numberOf(String order) {
    return OrderId.isValid(order) ? new OrderId(order).number().toString() : null;
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  private static String text(Map<String, String> fields, String name) {
    return fields.getOrDefault(name, "");
  }

  private static long number(Map<String, String> fields, String name) {
    String text = text(fields, name);
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
