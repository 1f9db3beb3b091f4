package fairgate.sale.payment;

import fairgate.kernel.Ids;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import java.util.Optional;

/// A provider that moves no money, for demonstrations and tests.
///
/// It plays an outside system, so its data are separate from the sale's: one hash per order,
/// `sandbox:payment:{order_id}`, kept for 30 days and shared by all nodes. Its field `end` is set
/// once, by payment or closing, whichever comes first, as at real providers. While the key
/// `sandbox:away` exists, the provider is away and answers nothing.
///
/// @param signature of messages, which tests and demonstrations may send
/// @param health learns whether the provider is away
record SandboxPayments(
    RedisClient redis, Ids ids, WebhookSignature signature, ProviderHealth health)
    implements PaymentProvider {
  private static final String LIFE_S = Long.toString(30L * 86_400);
  private static final String CLOSED = "closed";

  @Override
  public String name() {
    return "sandbox";
  }

  @Override
  public PaymentStart start(Order order) {
    return new PaymentStart("/pay/" + order.id().value());
  }

  boolean answers() {
    boolean away = redis.send("EXISTS", "sandbox:away").await().number() == 1;
    if (away) {
      health.failed("the sandbox is away");
    } else {
      health.succeeded();
    }
    return !away;
  }

  @Override
  public boolean probe() {
    return answers();
  }

  /// Pays the order. A repeat returns the first payment; empty when the order was closed before.
  Optional<Payment> pay(OrderId order, Money amount) {
    String end = "sandbox_" + ids.nonce() + ' ' + amount.minorUnits() + ' ' + amount.currency();
    return payment(end(order, end));
  }

  @Override
  public CloseOutcome close(OrderId order) {
    if (!answers()) {
      return new CloseOutcome.Unknown("the sandbox is away");
    }
    return payment(end(order, CLOSED))
        .<CloseOutcome>map(CloseOutcome.Paid::new)
        .orElseGet(CloseOutcome.Closed::new);
  }

  @Override
  public boolean canRefund() {
    return true;
  }

  @Override
  public RefundOutcome refund(String order, Payment payment, String key) {
    if (!OrderId.isValid(order)) {
      return new RefundOutcome.Refused("no payment was made here for such an order");
    }
    RedisReply _ =
        redis
            .send(
                "HSETNX",
                key(new OrderId(order)),
                "refund:" + key,
                Long.toString(minorUnits(payment)))
            .await();
    return new RefundOutcome.Refunded();
  }

  @Override
  public PaymentNotice read(PaymentNotice.Message message) {
    return StandardMessages.read(signature, message);
  }

  /// Sets the end of the order's payment unless it has one, and returns it.
  private String end(OrderId order, String wanted) {
    String key = key(order);
    if (redis.send("HSETNX", key, "end", wanted).await().number() == 1) {
      RedisReply _ = redis.send("EXPIRE", key, LIFE_S).await();
      return wanted;
    }
    return redis.send("HGET", key, "end").await().text();
  }

  private static Optional<Payment> payment(String end) {
    String[] parts = end.split(" ", -1);
    return parts.length == 3
        ? Optional.of(new Payment(parts[0], new Money(Long.parseLong(parts[1]), parts[2])))
        : Optional.empty();
  }

  private static long minorUnits(Payment payment) {
    return payment.amount().minorUnits();
  }

  private String key(OrderId order) {
    return "sandbox:payment:" + redis.tag(order.product().value()) + order.value();
  }
}
