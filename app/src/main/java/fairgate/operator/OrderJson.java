package fairgate.operator;

import fairgate.platform.json.JsonText;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderFile;
import fairgate.sale.payment.PaymentTry;
import fairgate.sale.receipt.Receipts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Orders as JSON and as rows of a CSV file, for operators. Times are milliseconds in JSON and ISO
/// 8601 in CSV.
final class OrderJson {
  /// The columns of the CSV file. It omits the session id, which authorizes access to the order.
  static final List<String> COLUMNS =
      List.of(
          "order_id",
          "order_number",
          "product_id",
          "status",
          "quantity",
          "amount",
          "currency",
          "created_at",
          "pay_by",
          "paid_at",
          "payment_id",
          "user_id",
          "device");

  private OrderJson() {}

  static JsonText order(LedgerOrder order) {
    LedgerOrder.State standing = order.standing();
    Instant payBy = standing.payBy();
    Instant paidAt = standing.paid().at();
    return JsonText.object()
        .put("order_id", order.id().value())
        .put("order_number", order.id().number().toString())
        .put("product_id", order.id().product().value())
        .put("session_id", order.buyer().session())
        .put("user_id", order.buyer().user())
        .put("device", order.buyer().device())
        .put("quantity", order.quantity())
        .put("amount", order.amount().minorUnits())
        .put("currency", order.amount().currency())
        .put("currency_exponent", order.amount().exponent())
        .put("status", standing.status().wire())
        .put("created_at", standing.createdAt().toEpochMilli())
        .put("pay_by", payBy == null ? 0 : payBy.toEpochMilli())
        .put("paid_at", paidAt == null ? 0 : paidAt.toEpochMilli())
        .put("payment_id", standing.paid().payment());
  }

  static List<@Nullable String> row(LedgerOrder order) {
    LedgerOrder.State standing = order.standing();
    List<@Nullable String> cells = new ArrayList<>();
    cells.add(order.id().value());
    cells.add(order.id().number().toString());
    cells.add(order.id().product().value());
    cells.add(standing.status().wire());
    cells.add(Integer.toString(order.quantity()));
    cells.add(Long.toString(order.amount().minorUnits()));
    cells.add(order.amount().currency());
    cells.add(standing.createdAt().toString());
    cells.add(text(standing.payBy()));
    cells.add(text(standing.paid().at()));
    cells.add(standing.paid().payment());
    cells.add(order.buyer().user());
    cells.add(order.buyer().device());
    return cells;
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }

  static JsonText event(OrderFile.Event event) {
    return JsonText.object()
        .put("at", event.at().toEpochMilli())
        .put("kind", event.kind())
        .put("status", event.status().wire())
        .put("version", event.version())
        .put("reason", event.reason())
        .put("payment_id", event.payment())
        .putAny("refund_amount", event.refund())
        .put("refund_part", event.part());
  }

  static JsonText deposit(Deposit deposit) {
    return JsonText.object()
        .put("deposit_id", deposit.id().value())
        .put("amount", deposit.amount().minorUnits())
        .put("status", deposit.state().word())
        .put("payment_id", deposit.payment());
  }

  static JsonText attempt(PaymentTry attempt) {
    return JsonText.object()
        .put("number", attempt.number())
        .put("provider", attempt.provider())
        .put("reference", attempt.reference())
        .put("payment_id", attempt.payment())
        .put("result", attempt.result())
        .put("created_at", attempt.createdAt().toEpochMilli())
        .put("updated_at", attempt.updatedAt().toEpochMilli());
  }

  static JsonText note(OrderFile.Note note) {
    return JsonText.object()
        .put("id", note.id())
        .put("at", note.at().toEpochMilli())
        .put("actor", note.actor())
        .put("note", note.text());
  }

  static JsonText receipt(Receipts.Status receipt) {
    return JsonText.object()
        .put("event", receipt.event())
        .put("state", receipt.state())
        .put("channel", receipt.channel())
        .put("rounds", receipt.rounds())
        .put("created_at", receipt.createdAt().toEpochMilli());
  }
}
