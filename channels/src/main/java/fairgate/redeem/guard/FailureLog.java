package fairgate.redeem.guard;

import fairgate.platform.observe.Metrics;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores refused attempts in batches, four times a second, so that an attack costs the database
/// little. Attempts beyond 20,000 pending ones, and those that cannot be written, are counted and
/// dropped: the log serves the search for attacks, and no claim depends on it.
public final class FailureLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);
  private static final int MAX_PENDING = 20_000;
  private static final int MAX_BATCH_SIZE = 1_000;
  private static final Duration WRITE_INTERVAL = Duration.ofMillis(250);
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);
  private static final Duration CLEAN_INTERVAL = Duration.ofMinutes(10);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  private final PostgresFailureRows table;
  private final InstantSource clock;
  private final Duration kept;
  private final Counter dropped;
  private final BlockingQueue<Failure> pending = new ArrayBlockingQueue<>(MAX_PENDING);
  private final PeriodicJob writeJob =
      new PeriodicJob("claim-failures", WRITE_INTERVAL, this::write)
          .withRest(LONGEST_REST)
          .withStopTimeout(STOP_TIMEOUT);
  private final PeriodicJob cleanJob =
      new PeriodicJob("claim-failures-cleaner", CLEAN_INTERVAL, this::clean).withFirstPassAtOnce();
  private final OutageLog outage = new OutageLog(LOG, "storing failed claims, some are dropped");

  /// @param kept retention of failures
  FailureLog(PostgresDatabase database, InstantSource clock, Duration kept, Metrics metrics) {
    this.table = new PostgresFailureRows(database);
    this.clock = clock;
    this.kept = kept;
    this.dropped =
        metrics.counter("fairgate_claim_failures_dropped", "Failed claims that were not recorded");
  }

  /// Starts writing and cleaning. Call it once.
  void start() {
    writeJob.start();
    cleanJob.start();
  }

  /// Queues a failure; never blocks.
  public void note(Failure failure) {
    if (!pending.offer(failure)) {
      dropped.increment();
    }
    writeJob.wake();
  }

  /// The newest failures first. Blocks.
  ///
  /// @param address null = of any
  /// @param orderHash null = of any
  /// @param before the id of the last one of the page before; `Long.MAX_VALUE` for the first page
  public List<StoredFailure> list(
      @Nullable String address, @Nullable String orderHash, long before, int max) {
    return table.list(address, orderHash, before, max);
  }

  public record StoredFailure(long id, Failure failure) {}

  /// Writes all pending failures. Blocks.
  void write() {
    List<Failure> some = new ArrayList<>();
    while (pending.drainTo(some, MAX_BATCH_SIZE) > 0) {
      try {
        table.insert(some);
        outage.worked();
      } catch (RuntimeException e) {
        dropped.increment(some.size());
        outage.waits(e);
      }
      some.clear();
    }
  }

  /// Deletes failures older than the retention. Blocks.
  void clean() {
    int gone;
    do {
      gone = table.deleteBefore(clock.instant().minus(kept), MAX_BATCH_SIZE);
    } while (gone == MAX_BATCH_SIZE);
  }

  /// Stops the jobs and writes all pending failures.
  @Override
  public void close() {
    writeJob.close();
    cleanJob.close();
    write();
  }

  /// A refused attempt.
  ///
  /// @param orderHash keyed hash of the order number
  /// @param reason the true reason, also with uniform errors
  public record Failure(
      String orderHash,
      String productId,
      String deviceId,
      String address,
      String reason,
      Instant at) {}
}
