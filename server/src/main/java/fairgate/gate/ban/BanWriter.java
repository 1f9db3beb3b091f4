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

/// Writes the bans that features make, on a virtual thread of its own, so that they never wait.
/// While PostgreSQL is away up to [#MOST] wait; more are in force on this node only, and counted.
final class BanWriter implements AutoCloseable {
  static final int MOST = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(BanWriter.class);
  private static final int BATCH = 200;
  private static final long LOOK_MS = 50;
  private static final long REST_MS = 500;
  private static final long FORGET_EVERY_NS = TimeUnit.HOURS.toNanos(6);
  private static final long LAST_WAIT_S = 3;

  private final PostgresBans store;
  private final Counter lost;
  private final BlockingQueue<PostgresBans.Draft> waiting = new ArrayBlockingQueue<>(MOST);
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
    if (!waiting.offer(draft)) {
      lost.increment();
    }
  }

  private void run() {
    long forgetAt = System.nanoTime();
    List<PostgresBans.Draft> batch = new ArrayList<>();
    try {
      while (stop.getCount() > 0 || !(waiting.isEmpty() || failing)) {
        if (batch.isEmpty()) {
          take(batch);
        }
        if (!batch.isEmpty() && attempt(() -> store.addAll(batch))) {
          batch.clear();
        }
        if (System.nanoTime() - forgetAt >= 0 && attempt(store::forget)) {
          forgetAt = System.nanoTime() + FORGET_EVERY_NS;
        }
        if (failing && stop.await(REST_MS, TimeUnit.MILLISECONDS)) {
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
    PostgresBans.@Nullable Draft first = waiting.poll(LOOK_MS, TimeUnit.MILLISECONDS);
    if (first != null) {
      batch.add(first);
      int _ = waiting.drainTo(batch, BATCH - 1);
    }
  }

  private boolean attempt(Runnable work) {
    try {
      work.run();
      failing = false;
      return true;
    } catch (ServiceUnavailable e) {
      if (!failing) {
        LOG.warn("bans wait for postgresql: {}", e.getMessage());
      }
      failing = true;
      return false;
    } catch (RuntimeException e) {
      // A repeat would be refused again.
      LOG.error("bans could not be written", e);
      failing = false;
      return true;
    }
  }

  /// Writes what waits, if PostgreSQL answers.
  @Override
  public void close() {
    stop.countDown();
    try {
      if (!stopped.await(LAST_WAIT_S, TimeUnit.SECONDS)) {
        LOG.warn("bans were not written in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
