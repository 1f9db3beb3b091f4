package fairgate.platform.audit;

import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Samples refusals, so that a flood does not fill the log: of each code the first fifty per second
/// are recorded, then one in a hundred, weighted for those left out.
final class RefusalSampler {
  static final int ALL_UP_TO = 50;
  static final int ONE_IN = 100;

  /// More than the number of existing codes.
  private static final int MAX_CODES = 500;

  private final Clock clock;
  private final Map<String, Count> counts = new ConcurrentHashMap<>();

  RefusalSampler(Clock clock) {
    this.clock = clock;
  }

  /// The number of refusals that this one stands for; 0 to leave it out.
  int weight(String code) {
    Count count = counts.get(code);
    if (count == null) {
      if (counts.size() >= MAX_CODES) {
        return 1;
      }
      count = counts.computeIfAbsent(code, _ -> new Count());
    }
    return count.next(clock.millis() / 1000);
  }

  /// The counters of one code. Concurrent calls do not block each other.
  private static final class Count {
    private final AtomicLong all = new AtomicLong();
    private final AtomicInteger leftOut = new AtomicInteger();
    private volatile long second;

    /// The count when the second began.
    private volatile long before;

    int next(long now) {
      if (now != second) {
        begin(now);
      }
      long seen = all.incrementAndGet() - before;
      if (seen > ALL_UP_TO && seen % ONE_IN != 0) {
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
