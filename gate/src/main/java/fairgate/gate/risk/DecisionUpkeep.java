package fairgate.gate.risk;

import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Joins decisions to what became of their orders, and deletes old ones.
final class DecisionUpkeep implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofSeconds(10);

  /// The first pass looks this far back, for events from the time when no node ran.
  private static final Duration FIRST = Duration.ofDays(1);

  /// Events and decisions that are written late are looked at again.
  private static final Duration OVERLAP = Duration.ofMinutes(2);

  private static final Duration DELETE_EVERY = Duration.ofHours(1);

  private final PostgresDecisions store;
  private final Duration kept;
  private final PeriodicJob job = new PeriodicJob("risk-upkeep", PAUSE, this::pass);
  private @Nullable Long joinedAt;
  private @Nullable Long deletedAt;

  DecisionUpkeep(PostgresDecisions store, Duration kept) {
    this.store = store;
    this.kept = kept;
  }

  void start() {
    job.start();
  }

  private void pass() {
    long now = System.nanoTime();
    if (store.addOutcomes(joinedAt == null ? FIRST : since(joinedAt, now).plus(OVERLAP))) {
      joinedAt = now;
    }
    if (deletedAt == null || since(deletedAt, now).compareTo(DELETE_EVERY) > 0) {
      int deleted;
      do {
        deleted = store.deleteOlder(kept);
      } while (deleted > 0 && !job.isStopping());
      deletedAt = now;
    }
  }

  private static Duration since(long before, long now) {
    return Duration.ofNanos(now - before);
  }

  @Override
  public void close() {
    job.close();
  }
}
