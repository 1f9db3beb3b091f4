package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A gateway that reports payments by signed webhooks and accepts requests to close and to refund.
///
/// Both requests are POSTs of JSON, signed as Standard Webhooks. `close_url` gets `{"order_id"}`
/// and answers `{"status": "closed"|"paid"|"unknown", "payment_id", "amount", "currency"}`;
/// `refund_url` gets `{"order_id", "payment_id", "amount", "currency", "key"}` and answers
/// `{"status": "refunded"|"refused"}`. Any other reply, or none, counts as unknown and the request
/// is repeated.
final class WebhookPayments implements PaymentProvider {
  private final @Nullable String payUrl;
  private final @Nullable String closeUrl;
  private final @Nullable String refundUrl;
  private final GatewayClient gateway;
  private final WebhookSignature signature;

  WebhookPayments(PaymentConfig config, GatewayClient gateway, WebhookSignature signature) {
    this.signature = signature;
    this.payUrl = config.payUrl();
    this.closeUrl = config.closeUrl();
    this.refundUrl = config.refundUrl();
    this.gateway = gateway;
  }

  @Override
  public String name() {
    return "webhook";
  }

  @Override
  public PaymentStart start(Order order) {
    return new PaymentStart(
        payUrl == null
            ? null
            : payUrl
                .replace("{order_id}", order.id().value())
                .replace("{amount}", Long.toString(order.amount().minorUnits()))
                .replace("{currency}", order.amount().currency()));
  }

  @Override
  public CloseOutcome close(OrderId order) {
    if (closeUrl == null) {
      return new CloseOutcome.Closed();
    }
    byte[] body = JsonText.object().put("order_id", order.value()).bytes();
    try {
      JsonObject answer = gateway.post(closeUrl, "close_" + order.value(), body);
      return switch (String.valueOf(answer.get("status"))) {
        case "closed" -> new CloseOutcome.Closed();
        case "paid" ->
            payment(answer)
                .<CloseOutcome>map(CloseOutcome.Paid::new)
                .orElseGet(() -> new CloseOutcome.Unknown("paid, but not by what"));
        default -> new CloseOutcome.Unknown("the provider does not know");
      };
    } catch (ProviderHttp.NoAnswer e) {
      return new CloseOutcome.Unknown(e.reason());
    }
  }

  @Override
  public boolean canRefund() {
    return refundUrl != null;
  }

  @Override
  public RefundOutcome refund(String order, Payment payment, String key) {
    if (refundUrl == null) {
      return new RefundOutcome.Unknown("payment.refund_url is not set");
    }
    byte[] body =
        JsonText.object()
            .put("order_id", order)
            .put("payment_id", payment.id())
            .put("amount", payment.amount().minorUnits())
            .put("currency", payment.amount().currency())
            .put("key", key)
            .bytes();
    try {
      JsonObject answer = gateway.post(refundUrl, key, body);
      return switch (String.valueOf(answer.get("status"))) {
        case "refunded" -> new RefundOutcome.Refunded();
        case "refused" -> new RefundOutcome.Refused("the provider refuses");
        default -> new RefundOutcome.Unknown("the provider does not know");
      };
    } catch (ProviderHttp.NoAnswer e) {
      return new RefundOutcome.Unknown(e.reason());
    }
  }

  @Override
  public PaymentNotice read(PaymentNotice.Message message) {
    return StandardMessages.read(signature, message);
  }

  /// Parses a payment of a gateway; empty when it is not valid.
  private static Optional<Payment> payment(JsonObject answer) {
    if (answer.get("payment_id") instanceof String id
        && Payment.isValidId(id)
        && answer.get("amount") instanceof Long amount
        && amount >= 0
        && amount <= Payment.MOST_MINOR_UNITS
        && answer.get("currency") instanceof String currency
        && currency.matches(Payment.CURRENCY)) {
      return Optional.of(new Payment(id, new Money(amount, currency)));
    }
    return Optional.empty();
  }

  /// Sends signed JSON to a payment gateway and reads its JSON reply.
  static final class GatewayClient implements AutoCloseable {
    private final ProviderHttp http;
    private final WebhookSignature signature;

    GatewayClient(WebhookSignature signature, Duration timeLimit, ProviderHealth health) {
      this.signature = signature;
      this.http = new ProviderHttp(timeLimit, health);
    }

    /// @param id the message's id; the same for a repeat of the same call
    JsonObject post(String url, String id, byte[] json) throws ProviderHttp.NoAnswer {
      HttpRequest.Builder request =
          http.request(url)
              .header("content-type", "application/json")
              .header("idempotency-key", id)
              .POST(HttpRequest.BodyPublishers.ofByteArray(json));
      signature.sign(id, json).forEach(request::header);
      ProviderHttp.Answer answer = http.send(request);
      if (!answer.isSuccess()) {
        throw new ProviderHttp.NoAnswer("status " + answer.status());
      }
      return answer.json();
    }

    @Override
    public void close() {
      http.close();
    }
  }
}
