package fairgate.sale.payment;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives money back. Runs on every node; a refund is with one node at a time. It may be tried any
/// number of times and still moves money once, for every try carries the same key.
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

  /// Starts looking every second. Call it once.
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

  /// Works on what is due now and returns how many refunds that were.
  int pass() {
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
      while (!closed && pass() == AT_ONCE) {
        LOG.debug("more refunds may be due");
      }
    } catch (ServiceUnavailable e) {
      LOG.warn("refunds wait: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("refunds", e);
    } finally {
      running.set(false);
    }
  }

  private void guarded(RefundStore.Due due) {
    try {
      giveBack(due);
    } catch (ServiceUnavailable e) {
      LOG.warn("refund {} waits: {}", due.key(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("refund {}", due.key(), e);
    }
  }

  private void giveBack(RefundStore.Due due) {
    PaymentProvider.RefundOutcome outcome = provider.refund(due.order(), due.payment(), due.key());
    metrics.refund(outcome);
    switch (outcome) {
      case PaymentProvider.RefundOutcome.Refunded() -> {
        // The order first: were the row done before, a crash in between would leave the units sold.
        RefundedScript.Outcome mark = book.refunded(due.order(), due.payment()).await();
        LOG.info("refund {} done: {}", due.key(), mark);
        store.done(due);
      }
      case PaymentProvider.RefundOutcome.Refused(String why) -> {
        LOG.error("refund {} is refused: {}", due.key(), why);
        store.failed(due);
      }
      case PaymentProvider.RefundOutcome.Unknown(String why) -> {
        LOG.warn("refund {} is tried again: {}", due.key(), why);
        store.postpone(due, wait(due.tries()));
      }
    }
  }

  private static Duration wait(int tries) {
    return Duration.ofSeconds(Math.min(MOST_WAIT_S, FIRST_WAIT_S << Math.min(tries, 11)));
  }

  /// Takes no more refunds.
  @Override
  public void close() {
    closed = true;
    if (timer >= 0) {
      boolean _ = vertx.cancelTimer(timer);
    }
  }
}
