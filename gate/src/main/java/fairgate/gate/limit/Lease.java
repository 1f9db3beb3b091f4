package fairgate.gate.limit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Calls of one shared key that this node has taken from Redis in advance and grants by itself.
///
/// Redis counts a call before the node grants it, so nodes together never exceed the limit. A lease
/// ends `LIFE` after it was requested; unused calls are lost. In any time t a node therefore admits
/// at most the calls that Redis counts in t + `LIFE`. A node takes as many calls as it granted
/// recently in such a time, so an idle node takes none. Times are `System.nanoTime()`.
final class Lease {
  static final long LIFE = TimeUnit.MILLISECONDS.toNanos(20);

  private final int max;
  private final AtomicLong used = new AtomicLong();
  private volatile Batch batch = new Batch(0, 0);
  private boolean asking;
  private long asked;
  private long lost;

  /// Calls taken in one run.
  static final class Batch {
    private final AtomicInteger left;
    private final long end;

    Batch(int left, long end) {
      this.left = new AtomicInteger(left);
      this.end = end;
    }

    int left() {
      return left.get();
    }

    /// Ends the batch; returns the number of unused calls.
    int close() {
      return Math.max(0, left.getAndSet(0));
    }

    /// Returns a granted call to the batch.
    void giveBack() {
      left.incrementAndGet();
    }
  }

  /// @param rule a rate
  Lease(LimitRule rule, long now) {
    double perLife = (double) rule.max() / rule.seconds() * LIFE / TimeUnit.SECONDS.toNanos(1);
    this.max = (int) Math.min(perLife, rule.burst() / 4.0);
    this.asked = now;
  }

  /// Grants one call; null when nothing is left.
  @Nullable Batch take(long now) {
    Batch current = batch;
    if (current.left() <= 0 || now - current.end >= 0 || current.left.getAndDecrement() <= 0) {
      return null;
    }
    used.incrementAndGet();
    return current;
  }

  /// The number of calls to take in advance with a request to Redis. Only one caller at a time gets
  /// more than zero and must then call `taken`.
  ///
  /// @param waiting calls that go with it
  synchronized int advance(int waiting, long now) {
    if (asking || max == 0) {
      return 0;
    }
    double inLife = (double) LIFE / Math.max(now - asked, LIFE / 100);
    int advance = (int) Math.min(max, (used.get() + waiting) * inLife);
    // Decays instead of being reset, so that the rate is averaged over several leases.
    used.set(0);
    asked = now;
    asking = advance > 0;
    return advance;
  }

  /// Ends the request that `advance` allowed.
  synchronized void taken(int calls, long sent) {
    asking = false;
    if (calls > 0) {
      lost += batch.close();
      batch = new Batch(calls, sent + LIFE);
    }
  }

  /// The number of calls taken in advance and never granted.
  synchronized long unused() {
    return lost + Math.max(0, batch.left());
  }
}
