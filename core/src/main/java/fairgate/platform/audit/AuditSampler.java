package fairgate.platform.audit;

import fairgate.kernel.ErrorCode;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Samples refusals and claims, so that a flood does not fill the audit log. Of each kind, the
/// first 50 per second are recorded, then every 100th. Of requests that no rate limit has counted,
/// the first 10 per second of all kinds together are recorded, and the first of each kind, so that
/// a flood of one kind does not hide another. The weight of a recorded event counts itself and the
/// ones skipped since the last recorded event of its kind, which may be earlier than its second. Of
/// refusals because of an outage, one a minute is recorded.
final class AuditSampler {
  static final int RECORDED_PER_SECOND = 50;
  static final int SAMPLE_EVERY = 100;
  static final int UNLIMITED_PER_SECOND = 10;

  /// The codes of refusals because an engine or the payment provider is away, or the server has too
  /// much to do.
  private static final Set<String> OUTAGES =
      Set.of(ErrorCode.SERVICE_UNAVAILABLE.name(), ErrorCode.PAYMENT_PROVIDER_UNAVAILABLE.name());

  private static final Duration OUTAGE_PAUSE = Duration.ofMinutes(1);

  /// Bounds the memory. Events of further kinds are all recorded. There are fewer kinds than this.
  private static final int MAX_KINDS = 500;

  private final Clock clock;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();
  private final PerSecond unlimited = new PerSecond();

  AuditSampler(Clock clock) {
    this.clock = clock;
  }

  /// Counts an event. Returns its weight; 0 means that it is not recorded.
  ///
  /// @param name such as an error code
  int count(String name) {
    Kind kind = kind(name);
    if (kind == null) {
      return 1;
    }
    if (OUTAGES.contains(name)) {
      return outage(kind);
    }
    long seen = kind.limited.next(second());
    return kind.weight(seen <= RECORDED_PER_SECOND || seen % SAMPLE_EVERY == 0);
  }

  /// Counts the refusal of a request that no rate limit has counted; the same otherwise.
  int countUnlimited(String name) {
    Kind kind = kind(name);
    if (kind == null) {
      return 1;
    }
    if (OUTAGES.contains(name)) {
      return outage(kind);
    }
    long second = second();
    long seen = kind.unlimited.next(second);
    // In a flood of one kind, the threads do not share the counter of all kinds.
    boolean recorded =
        seen <= UNLIMITED_PER_SECOND
            && (unlimited.next(second) <= UNLIMITED_PER_SECOND || seen == 1);
    return kind.weight(recorded);
  }

  /// An outage refuses everybody and tells nothing of the caller: one event a minute stands for
  /// all.
  private int outage(Kind kind) {
    return kind.weight(kind.limited.next(clock.millis() / OUTAGE_PAUSE.toMillis()) == 1);
  }

  private @Nullable Kind kind(String name) {
    Kind kind = kinds.get(name);
    return kind != null || kinds.size() >= MAX_KINDS
        ? kind
        : kinds.computeIfAbsent(name, _ -> new Kind());
  }

  private long second() {
    return clock.millis() / 1000;
  }

  private static final class Kind {
    private final PerSecond limited = new PerSecond();
    private final PerSecond unlimited = new PerSecond();
    private final AtomicInteger skipped = new AtomicInteger();

    int weight(boolean recorded) {
      if (!recorded) {
        skipped.incrementAndGet();
        return 0;
      }
      return 1 + skipped.getAndSet(0);
    }
  }

  /// Counts the events of a second. Calls wait for each other only at its start.
  private static final class PerSecond {
    private final AtomicLong total = new AtomicLong();
    private volatile long currentSecond;
    private volatile long totalAtSecondStart;

    /// The number of events in this second, with this one.
    long next(long second) {
      if (second > currentSecond) {
        start(second);
      }
      return total.incrementAndGet() - totalAtSecondStart;
    }

    private synchronized void start(long second) {
      if (second > currentSecond) {
        totalAtSecondStart = total.get();
        currentSecond = second;
      }
    }
  }
}
