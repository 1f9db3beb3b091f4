package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.sale.payment.PaymentNotice.Dispute;
import java.util.Set;

/// Reads messages of gateways that speak Standard Webhooks.
final class StandardMessages {
  private static final int LONGEST_REASON = 200;

  private StandardMessages() {}

  /// Verifies and parses a message. Throws [InvalidRequest] when a genuine message is malformed.
  static PaymentNotice read(WebhookSignature signature, PaymentNotice.Message message) {
    PaymentNotice.Message.Headers headers = message.headers();
    WebhookSignature.Result verdict =
        signature.verify(
            headers.get(WebhookSignature.ID),
            headers.get(WebhookSignature.TIMESTAMP),
            headers.get(WebhookSignature.SIGNATURE),
            message.body());
    return switch (verdict) {
      case GENUINE -> parse(JsonBody.parse(message.body()));
      case STALE, FORGED -> new PaymentNotice.Rejected(verdict);
    };
  }

  private static PaymentNotice parse(JsonBody message) {
    String type = message.text("type");
    if (type.equals("payment.failed")) {
      return new PaymentNotice.Declined(message.object("data").text("order_id"));
    }
    if (!Set.of("payment.paid", "payment.refunded", "payment.disputed").contains(type)) {
      return new PaymentNotice.Irrelevant();
    }
    JsonBody data = message.object("data");
    String order = data.text("order_id");
    Payment money = payment(data);
    return switch (type) {
      case "payment.paid" -> new PaymentNotice.Paid(order, money);
      case "payment.refunded" -> new PaymentNotice.Refunded(order, money);
      default -> disputed(order, money, data);
    };
  }

  private static PaymentNotice disputed(String order, Payment payment, JsonBody data) {
    String dispute = data.text("dispute_id");
    if (!Payment.isValidId(dispute)) {
      throw new InvalidRequest("data.dispute_id", "bad_format");
    }
    Dispute.State state =
        switch (data.text("status")) {
          case "open" -> Dispute.State.OPEN;
          case "won" -> Dispute.State.WON;
          case "lost" -> Dispute.State.LOST;
          default -> throw new InvalidRequest("data.status", "not_one_of", "open, won, lost");
        };
    String reason = data.has("reason") ? data.text("reason", 1, LONGEST_REASON) : "";
    return new PaymentNotice.Disputed(order, dispute, payment, state, reason);
  }

  private static Payment payment(JsonBody data) {
    String payment = data.text("payment_id");
    long amount = data.longInteger("amount", 0, Payment.MOST_MINOR_UNITS);
    String currency = data.text("currency");
    if (!Payment.isValidId(payment)) {
      throw new InvalidRequest("data.payment_id", "bad_format");
    }
    if (!currency.matches(Payment.CURRENCY)) {
      throw new InvalidRequest("data.currency", "bad_format");
    }
    return new Payment(payment, new Money(amount, currency));
  }
}
