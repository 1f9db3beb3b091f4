package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The orders as they stand in Redis, and the edges between their states. Every edge may be asked
/// for any number of times and from any node; the first one counts.
public final class OrderBook {
  private static final String[] FIELDS = {
    "session",
    "user",
    "device",
    "quantity",
    "amount",
    "currency",
    "status",
    "created_at",
    "pay_by",
    "remaining",
    "version",
    "payment"
  };

  private final RedisClient redis;
  private final SaleKeys.Style style;
  private final LateMoney late;
  private final ConfirmScript confirm;
  private final ReleaseScript release;
  private final RefundedScript refunded;
  private final RefundDueScript refundDue;
  private final DueScript due;
  private final AbsentScript absent;

  /// @param late what becomes of money that arrives after its reservation has ended
  public OrderBook(RedisClient redis, SaleKeys.Style style, LateMoney late) {
    this.redis = redis;
    this.style = style;
    this.late = late;
    this.confirm = new ConfirmScript(redis);
    this.release = new ReleaseScript(redis);
    this.refunded = new RefundedScript(redis);
    this.refundDue = new RefundDueScript(redis);
    this.due = new DueScript(redis);
    this.absent = new AbsentScript(redis);
  }

  /// Reads an order; empty when there is none of this id.
  public Future<Optional<Order>> find(OrderId id) {
    String[] args = new String[FIELDS.length + 1];
    args[0] = keys(id).order(id);
    System.arraycopy(FIELDS, 0, args, 1, FIELDS.length);
    return redis.send("HMGET", args).map(reply -> read(id, reply));
  }

  /// Books a payment on its order.
  public Future<ConfirmOutcome> confirm(OrderId id, Payment payment) {
    return withOrder(
        id,
        new ConfirmOutcome.UnknownOrder(),
        order -> confirm.run(keys(id), order, payment, late));
  }

  /// Ends an unpaid reservation. Ask the provider to close first, else money may still come.
  public Future<ReleaseOutcome> release(OrderId id, ReleaseOutcome.Reason reason) {
    return withOrder(
        id, new ReleaseOutcome.UnknownOrder(), order -> release.run(keys(id), order, reason));
  }

  /// Marks a payment as given back, once the provider has done so.
  Future<RefundedScript.Outcome> refunded(OrderId id, Payment payment) {
    return withOrder(
        id, RefundedScript.Outcome.UNKNOWN, order -> refunded.run(keys(id), order, payment));
  }

  /// Says that a paid order's money is to go back.
  Future<RefundDueScript.Outcome> refundDue(OrderId id, String reason) {
    return refundDue.run(keys(id), id, reason);
  }

  /// Why an order that was not found is not there.
  Future<AbsentScript.Word> absent(OrderId id) {
    return absent.run(keys(id), id);
  }

  /// Takes orders of the product whose payment deadline has come.
  Future<List<OrderId>> due(ProductId product, int most, Duration lease) {
    return due.run(SaleKeys.of(product, style), most, lease);
  }

  /// The Redis node that has the orders of a product.
  String node(ProductId product) {
    return redis.node(SaleKeys.of(product, style).pending());
  }

  /// The names of the keys of the order's product.
  SaleKeys keys(OrderId id) {
    return SaleKeys.of(id.product(), style);
  }

  private <T> Future<T> withOrder(OrderId id, T unknown, Function<Order, Future<T>> step) {
    return find(id).compose(order -> order.map(step).orElse(Future.succeededFuture(unknown)));
  }

  private static Optional<Order> read(OrderId id, RedisReply reply) {
    if (reply.at(0).isNil()) {
      return Optional.empty();
    }
    String payment = reply.textAt(11);
    return Optional.of(
        new Order(
            id,
            new SessionId(reply.textAt(0)),
            reply.textAt(1),
            reply.textAt(2),
            Integer.parseInt(reply.textAt(3)),
            new Money(Long.parseLong(reply.textAt(4)), reply.textAt(5)),
            OrderStatus.of(reply.textAt(6)),
            Long.parseLong(reply.textAt(7)),
            number(reply.textAt(8)),
            number(reply.textAt(9)),
            Long.parseLong(reply.textAt(10)),
            payment.isEmpty() ? null : payment));
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
