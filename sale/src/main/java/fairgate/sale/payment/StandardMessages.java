package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;

/// Reads messages of gateways that speak Standard Webhooks.
final class StandardMessages {
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
    if (!type.equals("payment.paid")) {
      return new PaymentNotice.Irrelevant();
    }
    JsonBody data = message.object("data");
    String order = data.text("order_id");
    String payment = data.text("payment_id");
    long amount = data.longInteger("amount", 0, Payment.MOST_MINOR_UNITS);
    String currency = data.text("currency");
    if (!Payment.isValidId(payment)) {
      throw new InvalidRequest("data.payment_id", "bad_format");
    }
    if (!currency.matches(Payment.CURRENCY)) {
      throw new InvalidRequest("data.currency", "bad_format");
    }
    return new PaymentNotice.Paid(order, new Payment(payment, new Money(amount, currency)));
  }
}
