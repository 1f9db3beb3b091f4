package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.ConfirmScript;
import fairgate.sale.payment.OrderScripts.DeadlineScript;
import fairgate.sale.payment.OrderScripts.DeclinedScript;
import fairgate.sale.payment.OrderScripts.DueScript;
import fairgate.sale.payment.OrderScripts.ExtendScript;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import fairgate.sale.payment.OrderScripts.ReleaseScript;
import fairgate.sale.payment.OrderScripts.ReversedScript;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Orders in Redis and the transitions between their states. A transition may be requested any
/// number of times and from any node; the first request counts.
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
    "payment",
    "declined_at",
    "deposit"
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
  private volatile Consumer<ProductId> onEdge = _ -> {};
  private volatile @Nullable Deposits deposits;
  private final DeclinedScript declined;
  private final DeadlineScript deadline;
  private final ExtendScript extend;
  private final ReversedScript reversed;

  /// @param late policy for payments that arrive after their reservation has ended
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
    this.declined = new DeclinedScript(redis);
    this.deadline = new DeadlineScript(redis);
    this.extend = new ExtendScript(redis);
    this.reversed = new ReversedScript(redis);
  }

  /// Deposits, whose ids have the form of those of orders: payment treats both alike.
  public interface Deposits {
    /// Never blocks.
    Future<Optional<Order>> find(OrderId id);

    Future<ConfirmOutcome> confirm(OrderId id, Payment payment);

    Future<ReleaseOutcome> release(OrderId id);

    /// Handles money that went back at the provider. False when nothing changed.
    Future<Boolean> reversed(OrderId id, Payment payment, String cause);
  }

  public void setDeposits(Deposits book) {
    deposits = book;
  }

  /// Null for an order.
  private @Nullable Deposits depositsOf(OrderId id) {
    return id.isDeposit() ? deposits : null;
  }

  /// Reads an order; empty when there is none with this id.
  public Future<Optional<Order>> find(OrderId id) {
    Deposits ofDeposit = depositsOf(id);
    if (ofDeposit != null) {
      return ofDeposit.find(id);
    }
    String[] args = new String[FIELDS.length + 1];
    args[0] = keys(id).order(id);
    System.arraycopy(FIELDS, 0, args, 1, FIELDS.length);
    return redis
        .send("HMGET", args)
        .map(reply -> read(id, reply))
        .compose(
            found ->
                found.filter(OrderBook::isPending).isPresent()
                    ? deadline.run(keys(id), id).map(until -> found.map(order -> order.due(until)))
                    : Future.succeededFuture(found));
  }

  private static boolean isPending(Order order) {
    return order.status() == OrderStatus.PENDING;
  }

  /// Sets the listener for products with an order that may have been written. Its sale may have
  /// been closed for long, and parked.
  public void onEdge(Consumer<ProductId> listener) {
    onEdge = listener;
  }

  public Future<ConfirmOutcome> confirm(OrderId id, Payment payment) {
    Deposits ofDeposit = depositsOf(id);
    if (ofDeposit != null) {
      return ofDeposit.confirm(id, payment);
    }
    return edge(
        id,
        withOrder(
            id,
            new ConfirmOutcome.UnknownOrder(),
            order -> confirm.run(keys(id), order, payment, late)));
  }

  /// Ends an unpaid reservation. Let the provider close it first, else money may still come.
  public Future<ReleaseOutcome> release(OrderId id, ReleaseOutcome.Reason reason) {
    Deposits ofDeposit = depositsOf(id);
    if (ofDeposit != null) {
      return ofDeposit.release(id);
    }
    return edge(
        id,
        withOrder(
            id, new ReleaseOutcome.UnknownOrder(), order -> release.run(keys(id), order, reason)));
  }

  /// Marks a payment as refunded. Call it after the provider has paid the money back.
  Future<RefundedScript.Outcome> refunded(OrderId id, Payment payment) {
    return refunded(id.value(), payment, "");
  }

  /// Marks a payment, or a part of it, as refunded; UNKNOWN when the text is not an order id.
  ///
  /// @param named the order as the payment names it
  /// @param part empty = the payment
  Future<RefundedScript.Outcome> refunded(String named, Payment payment, String part) {
    if (!OrderId.isValid(named)) {
      return Future.succeededFuture(RefundedScript.Outcome.UNKNOWN);
    }
    OrderId id = new OrderId(named);
    return edge(
        id,
        withOrder(
            id,
            RefundedScript.Outcome.UNKNOWN,
            order -> refunded.run(keys(id), order, payment, part)));
  }

  /// Books money that went back without a request of this server.
  ///
  /// @param dispute its name; empty for a refund
  Future<ReversedScript.Outcome> reversed(
      OrderId id, Payment payment, String reason, String dispute) {
    Deposits ofDeposit = depositsOf(id);
    if (ofDeposit != null) {
      return ofDeposit
          .find(id)
          .compose(
              found ->
                  found.isEmpty()
                      ? Future.succeededFuture(ReversedScript.Outcome.UNKNOWN)
                      : ofDeposit
                          .reversed(id, payment, reason)
                          .map(
                              changed ->
                                  changed
                                      ? ReversedScript.Outcome.REFUNDED
                                      : ReversedScript.Outcome.ALREADY));
    }
    return edge(
        id,
        withOrder(
            id,
            ReversedScript.Outcome.UNKNOWN,
            order -> reversed.run(keys(id), order, payment, reason, dispute)));
  }

  /// Starts the refund of all money of a paid order that was not asked back before. An order of
  /// which no money goes back is refunded at once.
  Future<RefundDueScript.Outcome> refundDue(OrderId id, String reason) {
    Future<RefundDueScript.Outcome> asked =
        refundDue
            .rest(keys(id), id, reason)
            .compose(
                outcome ->
                    outcome == RefundDueScript.Outcome.FREE
                        ? free(id, reason).map(outcome)
                        : Future.succeededFuture(outcome));
    return edge(id, asked);
  }

  /// Starts the refund of a part of a paid order, which stays paid.
  ///
  /// @param part the name of the part; a repeat of the same part changes nothing
  /// @param amount in minor units, at least 1
  Future<RefundDueScript.PartReply> refundPart(
      OrderId id, String reason, String part, long amount) {
    return edge(id, refundDue.part(keys(id), id, reason, part, amount));
  }

  private Future<RefundedScript.Outcome> free(OrderId id, String reason) {
    return withOrder(
        id, RefundedScript.Outcome.UNKNOWN, order -> refunded.free(keys(id), order, reason));
  }

  Future<DeclinedScript.Outcome> declined(OrderId id) {
    if (id.isDeposit()) {
      return Future.succeededFuture(DeclinedScript.Outcome.DECLINED);
    }
    return declined.run(keys(id), id);
  }

  Future<AbsentScript.Reply> absent(OrderId id) {
    return absent.run(keys(id), id);
  }

  /// Takes orders of the product whose payment deadline has passed.
  ///
  /// @param stop see [DueScript#run]
  Future<DueScript.Due> due(ProductId product, int max, Duration lease, Duration stop) {
    return due.run(List.of(SaleKeys.of(product, style)), max, lease, stop).getFirst();
  }

  /// Reads how many pending orders the products have, and when the next deadline of each ends. They
  /// share script runs.
  List<Future<DueScript.Due>> deadlines(List<ProductId> products) {
    List<SaleKeys> sales = products.stream().map(one -> SaleKeys.of(one, style)).toList();
    return due.run(sales, 0, Duration.ZERO, Duration.ZERO);
  }

  /// Extends the payment deadline of a pending order; a later one stays.
  Future<ExtendScript.Outcome> extend(OrderId id, Instant payBy, String reason) {
    return edge(id, extend.run(keys(id), id, payBy, reason));
  }

  Future<List<OrderId>> pending(ProductId product) {
    return redis
        .send("ZRANGE", SaleKeys.of(product, style).pending(), "0", "-1")
        .map(reply -> reply.texts().stream().map(OrderId::new).toList());
  }

  Future<Instant> now() {
    return redis.send("TIME").map(reply -> Instant.ofEpochSecond(Long.parseLong(reply.textAt(0))));
  }

  String node(ProductId product) {
    return redis.node(SaleKeys.of(product, style).pending());
  }

  SaleKeys keys(OrderId id) {
    return SaleKeys.of(id.product(), style);
  }

  /// Notifies the listener whatever the result is: a transition without a reply may have happened.
  private <T> Future<T> edge(OrderId id, Future<T> step) {
    return step.onComplete(_ -> onEdge.accept(id.product()));
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
            false,
            number(reply.textAt(9)),
            Long.parseLong(reply.textAt(10)),
            payment.isEmpty() ? null : payment,
            number(reply.textAt(12)),
            Order.DepositPart.of(reply.textAt(13))));
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  /// Calls `absent.lua`, which tells unknown orders from those that Redis may have lost.
  record AbsentScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(AbsentScript.class, "absent.lua");

    enum Reply {
      UNKNOWN,
      NO_SALE,
      /// Redis may have lost it and restore it, or it exists now.
      RETRY
    }

    Future<Reply> run(SaleKeys keys, OrderId id) {
      return redis
          .run(SCRIPT, List.of(keys.sale(), keys.order(id)), List.of())
          .map(reply -> Reply.valueOf(reply.text()));
    }
  }
}
