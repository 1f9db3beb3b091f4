package fairgate.gate.ban;

import fairgate.kernel.ServiceUnavailable;
import io.micrometer.core.instrument.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the bans of features to PostgreSQL on its own virtual thread, so features never wait.
/// While PostgreSQL is away, up to [#MAX_PENDING] bans are pending; further ones are in force on
/// this node only, and counted.
final class BanWriter implements AutoCloseable {
  static final int MAX_PENDING = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(BanWriter.class);
  private static final int BATCH = 200;
  private static final long POLL_MS = 50;
  private static final long RETRY_MS = 500;
  private static final long FORGET_EVERY_NS = TimeUnit.HOURS.toNanos(6);
  private static final long CLOSE_TIMEOUT_S = 3;

  private final PostgresBans store;
  private final Counter lost;
  private final BlockingQueue<PostgresBans.Draft> pending = new ArrayBlockingQueue<>(MAX_PENDING);
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private boolean failing;

  BanWriter(PostgresBans store, Counter lost) {
    this.store = store;
    this.lost = lost;
  }

  void start() {
    Thread.ofVirtual().name("ban-writer").start(this::run);
  }

  void add(PostgresBans.Draft draft) {
    if (!pending.offer(draft)) {
      lost.increment();
    }
  }

  private void run() {
    long forgetAt = System.nanoTime();
    List<PostgresBans.Draft> batch = new ArrayList<>();
    try {
      while (stop.getCount() > 0 || !(pending.isEmpty() || failing)) {
        if (batch.isEmpty()) {
          take(batch);
        }
        if (!batch.isEmpty() && attempt(() -> store.addAll(batch))) {
          batch.clear();
        }
        if (System.nanoTime() - forgetAt >= 0 && attempt(store::forget)) {
          forgetAt = System.nanoTime() + FORGET_EVERY_NS;
        }
        if (failing && stop.await(RETRY_MS, TimeUnit.MILLISECONDS)) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopped.countDown();
    }
  }

  private void take(List<PostgresBans.Draft> batch) throws InterruptedException {
    PostgresBans.@Nullable Draft first = pending.poll(POLL_MS, TimeUnit.MILLISECONDS);
    if (first != null) {
      batch.add(first);
      int _ = pending.drainTo(batch, BATCH - 1);
    }
  }

  private boolean attempt(Runnable work) {
    try {
      work.run();
      failing = false;
      return true;
    } catch (ServiceUnavailable e) {
      if (!failing) {
        LOG.warn(
            "PostgreSQL is unavailable; bans of features are pending; count={}", pending.size(), e);
      }
      failing = true;
      return false;
    } catch (RuntimeException e) {
      // A retry would fail again.
      LOG.error("Could not write bans; dropping the batch", e);
      failing = false;
      return true;
    }
  }

  /// Writes the pending bans, if PostgreSQL is available.
  @Override
  public void close() {
    stop.countDown();
    try {
      if (!stopped.await(CLOSE_TIMEOUT_S, TimeUnit.SECONDS)) {
        LOG.warn("Pending bans were not written before shutdown");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
