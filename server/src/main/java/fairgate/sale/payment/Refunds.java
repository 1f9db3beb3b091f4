package fairgate.sale.payment;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Executes refunds. Runs on all nodes; one node at a time works on a refund. It may be tried any
/// number of times and moves money once, because all tries have the same key.
public final class Refunds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Refunds.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final long FIRST_WAIT_S = 2;
  private static final long MOST_WAIT_S = 3_600;
  private static final int AT_ONCE = 16;

  private final Vertx vertx;
  private final RefundStore store;
  private final OrderBook book;
  private final PaymentProvider provider;
  private final PaymentMetrics metrics;
  private final AtomicBoolean running = new AtomicBoolean();
  private final OutageLog outage = new OutageLog(LOG, "refunds");
  private final OutageLog givingBack =
      new OutageLog(LOG, "refunds that are due", Duration.ofSeconds(5));
  private volatile boolean closed;
  private long timer = -1;

  Refunds(
      Vertx vertx,
      RefundStore store,
      OrderBook book,
      PaymentProvider provider,
      PaymentMetrics metrics) {
    this.vertx = vertx;
    this.store = store;
    this.book = book;
    this.provider = provider;
    this.metrics = metrics;
  }

  /// Starts to check every second. Called once.
  public void start() {
    timer =
        vertx.setPeriodic(
            PERIOD.toMillis(),
            _ -> {
              if (!closed && running.compareAndSet(false, true)) {
                Thread _ = Thread.ofVirtual().name("refunds").start(this::guardedPass);
              }
            });
  }

  /// Works on the due refunds and returns their number.
  int pass() {
    if (!provider.canRefund()) {
      int parked = store.park("payment.refund_url is not set");
      if (parked > 0) {
        LOG.warn("{} refunds wait: payment.refund_url is not set", parked);
      }
      return 0;
    }
    List<RefundStore.Due> batch = store.take(AT_ONCE, LEASE);
    List<Thread> threads = new ArrayList<>();
    for (RefundStore.Due due : batch) {
      threads.add(Thread.ofVirtual().name("refund").start(() -> guarded(due)));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    return batch.size();
  }

  private void guardedPass() {
    try {
      metrics.openRefunds(store.open());
      while (!closed && pass() == AT_ONCE) {
        LOG.debug("more refunds may be due");
      }
      outage.worked();
    } catch (ServiceUnavailable e) {
      outage.waits(e);
    } catch (RuntimeException e) {
      LOG.error("refunds", e);
    } finally {
      running.set(false);
    }
  }

  private void guarded(RefundStore.Due due) {
    try {
      giveBack(due);
      givingBack.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("refund {} waits", due.key(), e);
      givingBack.waits(e);
    } catch (RuntimeException e) {
      LOG.error("refund {}", due.key(), e);
    }
  }

  private void giveBack(RefundStore.Due due) {
    PaymentProvider.RefundOutcome outcome = provider.refund(due.order(), due.payment(), due.key());
    metrics.refund(outcome);
    switch (outcome) {
      case PaymentProvider.RefundOutcome.Refunded() -> givenBack(due);
      case PaymentProvider.RefundOutcome.Refused(String why) -> {
        LOG.error("Refund refused; a person has to decide. refund={} answer={}", due.key(), why);
        store.failed(due, why);
      }
      case PaymentProvider.RefundOutcome.Unknown(String why) -> {
        LOG.warn("refund {} is tried again: {}", due.key(), why);
        store.postpone(due, wait(due.tries()), why);
      }
    }
  }

  /// The ledger ends the refund when the outbox event of the order arrives. Until then Redis may
  /// lose the mark, and a rebuilt sale does not have the refund yet: the order would stay paid and
  /// its units sold, though the money is back.
  private void givenBack(RefundStore.Due due) {
    RefundedScript.Outcome note = book.refunded(due.order(), due.payment()).await();
    LOG.info("Refund given back; refund={} order={}", due.key(), note);
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
    return Duration.ofSeconds(Math.min(MOST_WAIT_S, FIRST_WAIT_S << Math.min(tries, 11)));
  }

  /// Stops taking refunds.
  @Override
  public void close() {
    closed = true;
    if (timer >= 0) {
      boolean _ = vertx.cancelTimer(timer);
    }
  }
}
