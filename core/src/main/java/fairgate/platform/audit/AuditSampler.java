package fairgate.platform.audit;

import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Samples refusals and claims, so that a flood does not fill the audit log. Of each kind, the
/// first 50 per second are recorded, then every 100th. The weight of a recorded event counts itself
/// and the ones skipped since the last recorded event of its kind, which may be earlier than its
/// second.
final class AuditSampler {
  static final int RECORDED_PER_SECOND = 50;
  static final int SAMPLE_EVERY = 100;

  /// Bounds the memory. Events of further kinds are all recorded. There are fewer kinds than this.
  private static final int MAX_KINDS = 500;

  private final Clock clock;
  private final Map<String, Count> counts = new ConcurrentHashMap<>();

  AuditSampler(Clock clock) {
    this.clock = clock;
  }

  /// Counts an event. Returns its weight; 0 means that it is not recorded.
  ///
  /// @param kind such as an error code
  int count(String kind) {
    Count count = counts.get(kind);
    if (count == null) {
      if (counts.size() >= MAX_KINDS) {
        return 1;
      }
      count = counts.computeIfAbsent(kind, _ -> new Count());
    }
    return count.next(clock.millis() / 1000);
  }

  /// The counters of one kind. Calls wait for each other only at the start of a second.
  private static final class Count {
    private final AtomicLong total = new AtomicLong();
    private final AtomicInteger skipped = new AtomicInteger();
    private volatile long currentSecond;
    private volatile long totalAtSecondStart;

    int next(long second) {
      if (second > currentSecond) {
        startSecond(second);
      }
      long seen = total.incrementAndGet() - totalAtSecondStart;
      if (seen > RECORDED_PER_SECOND && seen % SAMPLE_EVERY != 0) {
        skipped.incrementAndGet();
        return 0;
      }
      return 1 + skipped.getAndSet(0);
    }

    private synchronized void startSecond(long second) {
      if (second > currentSecond) {
        totalAtSecondStart = total.get();
        currentSecond = second;
      }
    }
  }
}
