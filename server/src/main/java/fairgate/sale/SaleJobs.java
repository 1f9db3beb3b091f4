package fairgate.sale;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the node's background work on sales: a virtual thread that synchronizes sales and releases
/// stock at each tick, and compares Redis with the ledger about once a second. All nodes run one,
/// without harm to each other.
final class SaleJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SaleJobs.class);
  private static final Duration VERIFY_EVERY = Duration.ofSeconds(1);
  private static final Duration LAST_WAIT = Duration.ofSeconds(3);

  private final SaleSync sync;
  private final Duration tick;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private boolean failing;
  private boolean seen;

  SaleJobs(SaleSync sync, Duration tick) {
    this.sync = sync;
    this.tick = tick;
  }

  /// When this returns, the first round is done if the engines answer. Nothing is sold before it.
  void start() {
    round(true);
    Thread.ofVirtual().name("sale-jobs").start(this::run);
  }

  private void run() {
    long verifyAt = System.nanoTime();
    try {
      while (!stop.await(tick.toMillis(), TimeUnit.MILLISECONDS)) {
        // After an outage the comparison comes first, because Redis may be older than before.
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
      // Due units do not wait for the comparison of all sales. A Redis that was away, or that this
      // node has not read yet, is compared before anything is written to it.
      boolean first = failing || !seen;
      if (verify && first) {
        sync.verify();
      }
      sync.round();
      if (verify && !first) {
        sync.verify();
      }
      seen = true;
      if (failing && verify) {
        LOG.info("sales are in step with the catalog again");
        failing = false;
      }
    } catch (RuntimeException e) {
      // Logged once per outage; the next tick tries again.
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
