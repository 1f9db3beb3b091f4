package fairgate.platform.audit;

import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Keeps a flood of refusals from filling the log: of each code the first fifty of a second are
/// kept, then one in a hundred, which stands for those before it.
final class RefusalSampler {
  static final int WHOLE_A_SECOND = 50;
  static final int ONE_IN = 100;

  /// More codes than there are.
  private static final int MOST_CODES = 500;

  private final Clock clock;
  private final Map<String, Count> counts = new ConcurrentHashMap<>();

  RefusalSampler(Clock clock) {
    this.clock = clock;
  }

  /// How many refusals one with this code stands for; 0 = to be left out.
  int weight(String code) {
    Count count = counts.get(code);
    if (count == null) {
      if (counts.size() >= MOST_CODES) {
        return 1;
      }
      count = counts.computeIfAbsent(code, _ -> new Count());
    }
    return count.next(clock.millis() / 1000);
  }

  /// Refusals of one code; those that come at the same time do not wait for each other.
  private static final class Count {
    private final AtomicLong all = new AtomicLong();
    private final AtomicInteger leftOut = new AtomicInteger();
    private volatile long second;

    /// How many there had been when the second began.
    private volatile long before;

    int next(long now) {
      if (now != second) {
        begin(now);
      }
      long seen = all.incrementAndGet() - before;
      if (seen > WHOLE_A_SECOND && seen % ONE_IN != 0) {
        leftOut.incrementAndGet();
        return 0;
      }
      return 1 + leftOut.getAndSet(0);
    }

    private synchronized void begin(long now) {
      if (now != second) {
        before = all.get();
        second = now;
      }
    }
  }
}
