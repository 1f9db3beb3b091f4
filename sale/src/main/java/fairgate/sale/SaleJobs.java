package fairgate.sale;

import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the node's background work on sales: a periodic job that synchronizes sales and releases
/// stock at each tick, and compares Redis with the ledger about once a second. All nodes run one,
/// without harm to each other.
final class SaleJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SaleJobs.class);
  private static final Duration VERIFY_EVERY = Duration.ofSeconds(1);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  private final SaleSync sync;
  private final PeriodicJob job;
  private long nextVerifyAt = System.nanoTime();
  private boolean failing;
  private boolean seen;

  SaleJobs(SaleSync sync, Duration tick) {
    this.sync = sync;
    this.job = new PeriodicJob("sale-jobs", tick, this::run).withStopTimeout(STOP_TIMEOUT);
  }

  /// Returns after the first round, if the engines answer. Nothing is sold before it.
  void start() {
    round(true);
    job.start();
  }

  private void run() {
    // After an outage the comparison comes first, because Redis may be older than before.
    boolean verify = failing || System.nanoTime() - nextVerifyAt >= 0;
    if (verify) {
      nextVerifyAt = System.nanoTime() + VERIFY_EVERY.toNanos();
    }
    round(verify);
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
        LOG.info("Sales match the catalog again");
        failing = false;
      }
    } catch (RuntimeException e) {
      // Logged once per outage; the next tick tries again.
      if (!failing) {
        LOG.warn("Could not synchronize sales with the catalog; cause={}", e.toString());
      }
      failing = true;
    }
  }

  @Override
  public void close() {
    job.close();
  }
}
