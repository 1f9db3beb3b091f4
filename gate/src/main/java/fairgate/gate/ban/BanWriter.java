package fairgate.gate.ban;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the bans of features to PostgreSQL on a virtual thread, so features never wait. While
/// PostgreSQL is away, up to [#MAX_PENDING] bans are pending; further ones are in force on this
/// node only, and counted.
final class BanWriter implements AutoCloseable {
  static final int MAX_PENDING = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(BanWriter.class);
  private static final int BATCH = 200;
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);
  private static final Duration CLEANUP_INTERVAL = Duration.ofHours(6);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  private final PostgresBans store;
  private final Counter lost;
  private final BlockingQueue<PostgresBans.Draft> pending = new ArrayBlockingQueue<>(MAX_PENDING);
  private final List<PostgresBans.Draft> batch = new ArrayList<>();
  private final PeriodicJob job =
      new PeriodicJob("ban-writer", PAUSE, this::writePending)
          .withRest(LONGEST_REST)
          .withFinalPass(STOP_TIMEOUT);
  private long cleanupAt = System.nanoTime();

  BanWriter(PostgresBans store, Counter lost) {
    this.store = store;
    this.lost = lost;
  }

  void start() {
    job.start();
  }

  void add(PostgresBans.Draft draft) {
    if (!pending.offer(draft)) {
      lost.increment();
    }
    job.wake();
  }

  /// Writes what is pending, in batches. A batch stays when PostgreSQL is unavailable.
  private void writePending() {
    int _ = pending.drainTo(batch, BATCH - batch.size());
    while (!batch.isEmpty()) {
      write();
      batch.clear();
      int _ = pending.drainTo(batch, BATCH);
    }
    if (System.nanoTime() - cleanupAt >= 0) {
      store.forget();
      cleanupAt = System.nanoTime() + CLEANUP_INTERVAL.toNanos();
    }
  }

  private void write() {
    try {
      store.addAll(batch);
    } catch (ServiceUnavailable e) {
      throw e;
    } catch (RuntimeException e) {
      // A retry would fail again.
      LOG.error("Could not write bans; dropping the batch", e);
    }
  }

  /// Writes the pending bans, if PostgreSQL is available.
  @Override
  public void close() {
    job.close();
  }
}
