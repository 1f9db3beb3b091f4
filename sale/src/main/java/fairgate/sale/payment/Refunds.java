package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Executes refunds. Runs on all nodes; one node at a time works on a refund. It may be tried any
/// number of times and moves money once, because all tries have the same key.
public final class Refunds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Refunds.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final int PERIODS_BETWEEN_COUNTS = 5;
  private static final long MIN_RETRY_S = 2;
  private static final long MAX_RETRY_S = 3_600;
  private static final int BATCH_SIZE = 16;

  /// The answer for a payment that this installation did not ask for.
  private static final String NOT_OURS =
      "no order of this server has this payment; only a person can return it";

  private final RefundStore store;
  private final OrderBook book;
  private final PaymentProvider provider;
  private final PaymentMetrics metrics;
  private final Predicate<String> own;
  private final LongSupplier openDisputes;
  private int periods;
  private final PeriodicJob job;
  private final OutageLog givingBack =
      new OutageLog(LOG, "refunds that are due", Duration.ofSeconds(5));

  /// @param own the orders whose payments may go back
  /// @param openDisputes the number of disputes that are not decided, for the metrics
  /// @param resting makes a pass rest while nothing is written to the database
  Refunds(
      RefundStore store,
      OrderBook book,
      PaymentProvider provider,
      PaymentMetrics metrics,
      Predicate<String> own,
      LongSupplier openDisputes,
      Function<BooleanSupplier, Runnable> resting) {
    this.own = own;
    this.openDisputes = openDisputes;
    this.store = store;
    this.book = book;
    this.provider = provider;
    this.metrics = metrics;
    this.job = new PeriodicJob("refunds", PERIOD, resting.apply(this::run));
  }

  /// Starts to check every second. Called once.
  public void start() {
    job.start();
  }

  /// Works on the due refunds and returns their number.
  int pass() {
    if (!provider.canRefund()) {
      int parked = store.park("payment.refund_url is not set");
      if (parked > 0) {
        LOG.warn("Refunds wait because payment.refund_url is not set; count={}", parked);
      }
      return 0;
    }
    List<RefundStore.DueRefund> batch = store.take(BATCH_SIZE, LEASE);
    BlockingWork.forEach("refund", batch, this::guarded);
    return batch.size();
  }

  private boolean run() {
    if (periods++ % PERIODS_BETWEEN_COUNTS == 0) {
      metrics.openRefunds(store.open());
      metrics.openDisputes(openDisputes.getAsLong());
    }
    int executed = pass();
    boolean found = executed > 0;
    while (!job.isStopping() && executed == BATCH_SIZE) {
      LOG.debug("Executing another batch of refunds");
      executed = pass();
    }
    return found;
  }

  private void guarded(RefundStore.DueRefund due) {
    try {
      giveBack(due);
      givingBack.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("Refund waits; refund={}", due.key(), e);
      givingBack.waits(e);
    } catch (RuntimeException e) {
      LOG.error("Could not execute refund; refund={}", due.key(), e);
    }
  }

  private void giveBack(RefundStore.DueRefund due) {
    PaymentProvider.RefundOutcome outcome =
        own.test(due.order())
            ? provider.refund(due.order(), due.payment(), due.key())
            : new PaymentProvider.RefundOutcome.Refused(NOT_OURS);
    metrics.refund(outcome);
    switch (outcome) {
      case PaymentProvider.RefundOutcome.Refunded() -> givenBack(due);
      case PaymentProvider.RefundOutcome.Refused(String why) -> {
        LOG.error("Refund refused; a person has to decide. refund={} answer={}", due.key(), why);
        store.failed(due, why);
      }
      case PaymentProvider.RefundOutcome.Unknown(String why) -> {
        LOG.warn("Refund has no known outcome and is retried; refund={} cause={}", due.key(), why);
        store.postpone(due, wait(due.tries()), why);
      }
    }
  }

  /// The ledger ends the refund of an order when the outbox event of the order arrives. Until then
  /// Redis may lose the mark, and a rebuilt sale does not have the refund yet: the order would stay
  /// paid and its units sold, though the money is back. No order has the refund of a deposit.
  private void givenBack(RefundStore.DueRefund due) {
    if (OrderId.isDeposit(due.order())) {
      LOG.info("Refund of a deposit given back; refund={}", due.key());
      store.done(due);
      return;
    }
    RefundedScript.Outcome note = book.refunded(due.order(), due.payment(), due.part()).await();
    LOG.info("Refund given back; refund={} outcome={}", due.key(), note);
    switch (note) {
      case REFUNDED, MARKED, ALREADY ->
          store.postpone(due, wait(due.tries()), "given back; the ledger has not learnt of it yet");
      case NOT_DUE, UNKNOWN -> {
        if (due.isUnplaced()) {
          store.done(due);
        } else {
          store.postpone(due, wait(due.tries()), "given back; the sale does not know of it yet");
        }
      }
    }
  }

  private static Duration wait(int tries) {
    return Duration.ofSeconds(Math.min(MAX_RETRY_S, MIN_RETRY_S << Math.min(tries, 11)));
  }

  @Override
  public void close() {
    job.close();
  }

  /// Tells the orders of this installation, as the provider named them, from those of others that
  /// share its account at a provider: an order of ours is in the ledger, or had a payment page.
  /// Blocks: for virtual threads.
  static Predicate<String> ownOrders(PostgresDatabase database) {
    String sql =
        """
        SELECT 1 FROM orders WHERE platform = 'fairgate' AND order_id = $1
        UNION ALL SELECT 1 FROM payment_checkouts WHERE order_id = $1
        UNION ALL SELECT 1 FROM deposits WHERE deposit_id = $1 LIMIT 1
        """;
    return order -> !database.rows(sql, order).isEmpty();
  }
}
