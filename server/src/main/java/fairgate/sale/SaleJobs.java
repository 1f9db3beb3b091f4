package fairgate.sale;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The node's own hand on its sales: a virtual thread that syncs and releases at every tick, and
/// compares Redis with the ledger about once a second. Every node runs one; they do no harm to each
/// other.
final class SaleJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SaleJobs.class);
  private static final Duration VERIFY_EVERY = Duration.ofSeconds(1);
  private static final Duration LAST_WAIT = Duration.ofSeconds(3);

  private final SaleSync sync;
  private final Duration tick;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private boolean failing;

  SaleJobs(SaleSync sync, Duration tick) {
    this.sync = sync;
    this.tick = tick;
  }

  /// The first round is done when this returns, if the engines answer: nothing is sold before it.
  void start() {
    round(true);
    Thread.ofVirtual().name("sale-jobs").start(this::run);
  }

  private void run() {
    long verifyAt = System.nanoTime();
    try {
      while (!stop.await(tick.toMillis(), TimeUnit.MILLISECONDS)) {
        // After an outage at once: Redis may have come back older than it was.
        boolean verify = failing || System.nanoTime() >= verifyAt;
        if (verify) {
          verifyAt = System.nanoTime() + VERIFY_EVERY.toNanos();
        }
        round(verify);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopped.countDown();
    }
  }

  private void round(boolean verify) {
    try {
      if (verify) {
        sync.verify();
      }
      sync.round();
      if (failing && verify) {
        LOG.info("sales are in step with the catalog again");
        failing = false;
      }
    } catch (RuntimeException e) {
      // Said once per outage; the next tick tries again.
      if (!failing) {
        LOG.warn("sales are not in step with the catalog: {}", e.toString());
      }
      failing = true;
    }
  }

  @Override
  public void close() {
    stop.countDown();
    try {
      if (!stopped.await(LAST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the sale's jobs did not stop in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
