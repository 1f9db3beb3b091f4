package fairgate.sale.deposit;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.BlockingWork;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.ConfirmOutcome;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.OrderBook;
import fairgate.sale.payment.Payment;
import fairgate.sale.payment.ReleaseOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What payment does with deposits, in the words of orders: PostgreSQL decides, then Redis learns
/// which deposits give a place.
record DepositBook(PostgresDeposits store, PutDepositScript put, EndDepositsScript end)
    implements OrderBook.Deposits {
  private static final Logger LOG = LoggerFactory.getLogger(DepositBook.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  @Override
  public Future<Optional<Order>> find(OrderId id) {
    return store.find(id).map(found -> found.map(Deposit::asOrder));
  }

  @Override
  public Future<ConfirmOutcome> confirm(OrderId id, Payment payment) {
    return BlockingWork.call(
        "deposit",
        () ->
            switch (store.pay(id, payment)) {
              case PAID -> {
                put(id);
                yield new ConfirmOutcome.Confirmed(false);
              }
              case ALREADY -> {
                put(id);
                yield new ConfirmOutcome.AlreadyPaid();
              }
              case RETURNED -> new ConfirmOutcome.RefundDue();
              case UNKNOWN -> new ConfirmOutcome.UnknownOrder();
            });
  }

  /// The payment is recorded. When Redis does not answer, [DepositJob] repeats this.
  private void put(OrderId id) {
    Deposit deposit = store.find(id).await().orElseThrow();
    if (deposit.state() != Deposit.State.PAID) {
      return;
    }
    try {
      boolean _ = put.run(deposit).await();
    } catch (ServiceUnavailable e) {
      LOG.debug("Redis does not know a paid deposit yet; depositId={}", id, e);
    }
  }

  /// Ends a paid deposit that no place and no entry of a draw has, as its buyer asks. Redis ends it
  /// first, so that no join can use it any more; a node that stops then leaves the rest to
  /// [DepositJob]. Blocks.
  void giveBack(Deposit deposit) {
    if (!put.run(deposit).await()) {
      throw new ServiceUnavailable("the sale was not verified yet", RETRY_AFTER);
    }
    store.endUnused(deposit.id(), () -> end.endUnused(List.of(deposit.id())).await().getFirst());
  }

  @Override
  public Future<ReleaseOutcome> release(OrderId id) {
    return BlockingWork.call(
        "deposit",
        () -> {
          if (store.lapse(id)) {
            return new ReleaseOutcome.Released();
          }
          return find(id)
              .await()
              .<ReleaseOutcome>map(order -> standing(order.status()))
              .orElseGet(ReleaseOutcome.UnknownOrder::new);
        });
  }

  private static ReleaseOutcome standing(OrderStatus status) {
    return switch (status) {
      case PENDING -> new ReleaseOutcome.NotDue();
      case PAID -> new ReleaseOutcome.Paid();
      case CANCELLED, EXPIRED, REFUNDED -> new ReleaseOutcome.AlreadyOver(status);
    };
  }

  @Override
  public Future<Boolean> reversed(OrderId id, Payment payment, String cause) {
    return BlockingWork.call(
        "deposit",
        () -> {
          boolean isOver = store.reversed(id, payment, cause, () -> end.endAtOnce(id).await());
          if (isOver) {
            LOG.warn("A deposit went back at the provider; depositId={} cause={}", id, cause);
          }
          return isOver;
        });
  }

  /// Calls `put_deposit.lua`, which lets the owner of a paid deposit join once.
  record PutDepositScript(RedisClient redis, SaleKeys.Style style) {
    private static final LuaScript SCRIPT =
        LuaScript.load(PutDepositScript.class, "put_deposit.lua");

    /// False while Redis cannot be trusted with it.
    Future<Boolean> run(Deposit deposit) {
      SaleKeys keys = SaleKeys.of(deposit.id().product(), style);
      return redis
          .run(
              SCRIPT,
              List.of(keys.sale(), keys.deposits()),
              List.of(
                  deposit.id().value(),
                  deposit.owner(),
                  Long.toString(deposit.amount().minorUnits()),
                  deposit.amount().currency()))
          .map(reply -> !reply.text().equals("RETRY"));
    }
  }
}
