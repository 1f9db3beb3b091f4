package fairgate.gate.limit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The calls of one shared key that this node has taken in advance, and may grant by itself.
///
/// What is taken is counted in Redis before it is granted here, so nodes together never grant more
/// than the limit. It must be used within `LIFE` of being sent for, else it is lost; so the most a
/// node admits in a time t is what Redis counts in t + `LIFE`. A node takes as much as it lately
/// granted in such a time, so an idle one takes nothing. Times are of `System.nanoTime()`.
final class Slice {
  static final long LIFE = TimeUnit.MILLISECONDS.toNanos(20);

  private final int most;
  private final AtomicLong used = new AtomicLong();
  private volatile Part part = new Part(0, 0);
  private boolean asking;
  private long asked;
  private long lost;

  /// What was taken at once.
  static final class Part {
    private final AtomicInteger left;
    private final long end;

    Part(int left, long end) {
      this.left = new AtomicInteger(left);
      this.end = end;
    }

    int left() {
      return left.get();
    }

    /// Grants nothing more; how many it still had.
    int close() {
      return Math.max(0, left.getAndSet(0));
    }

    /// A call that was granted from it does not happen.
    void giveBack() {
      left.incrementAndGet();
    }
  }

  /// @param rule a rate
  Slice(LimitRule rule, long now) {
    double perLife = (double) rule.most() / rule.seconds() * LIFE / TimeUnit.SECONDS.toNanos(1);
    this.most = (int) Math.min(perLife, rule.burst() / 4.0);
    this.asked = now;
  }

  /// Grants one call; null when nothing is left.
  @Nullable Part take(long now) {
    Part current = part;
    if (current.left() <= 0 || now - current.end >= 0 || current.left.getAndDecrement() <= 0) {
      return null;
    }
    used.incrementAndGet();
    return current;
  }

  /// How many to take in advance with a call to Redis that is about to be sent; one caller at a
  /// time gets more than none, and has to say how it ended.
  ///
  /// @param waiting calls that go with it
  synchronized int advance(int waiting, long now) {
    if (asking || most == 0) {
      return 0;
    }
    double inLife = (double) LIFE / Math.max(now - asked, LIFE / 100);
    int advance = (int) Math.min(most, (used.get() + waiting) * inLife);
    // Forgotten in parts, so that the pace of some slices counts.
    used.set(0);
    asked = now;
    asking = advance > 0;
    return advance;
  }

  /// The call that was sent then took so many.
  synchronized void taken(int calls, long sent) {
    asking = false;
    if (calls > 0) {
      lost += part.close();
      part = new Part(calls, sent + LIFE);
    }
  }

  /// How many were taken in advance and granted to nobody, so far.
  synchronized long unused() {
    return lost + Math.max(0, part.left());
  }
}
