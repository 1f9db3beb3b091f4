package fairgate.sale.payment;

import fairgate.kernel.Ids;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import java.util.Optional;

/// A provider that moves no money, for demonstrations and tests.
///
/// It plays a world outside, so its memory is apart from the sale's: one hash per order,
/// `sandbox:payment:{order_id}`, kept for 30 days and shared by all nodes. The field `end` is set
/// once, by whichever of payment and closing comes first, as real providers decide it.
final class SandboxPayments implements PaymentProvider {
  private static final String LIFE_S = Long.toString(30L * 86_400);
  private static final String CLOSED = "closed";

  private final RedisClient redis;
  private final Ids ids;

  SandboxPayments(RedisClient redis, Ids ids) {
    this.redis = redis;
    this.ids = ids;
  }

  @Override
  public String name() {
    return "sandbox";
  }

  @Override
  public PaymentStart start(Order order) {
    return new PaymentStart("/pay/" + order.id().value());
  }

  /// The buyer pays. A repeat gives the first payment; empty when the order was closed before.
  Optional<Payment> pay(OrderId order, Money amount) {
    String end = "sandbox_" + ids.nonce() + ' ' + amount.minorUnits() + ' ' + amount.currency();
    return payment(end(order, end));
  }

  @Override
  public CloseOutcome close(OrderId order) {
    return payment(end(order, CLOSED))
        .<CloseOutcome>map(CloseOutcome.Paid::new)
        .orElseGet(CloseOutcome.Closed::new);
  }

  @Override
  public RefundOutcome refund(OrderId order, Payment payment, String key) {
    RedisReply _ =
        redis
            .send("HSETNX", key(order), "refund:" + key, Long.toString(minorUnits(payment)))
            .await();
    return new RefundOutcome.Refunded();
  }

  /// Sets the end of the order's payment unless it has one, and returns the one it has.
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
