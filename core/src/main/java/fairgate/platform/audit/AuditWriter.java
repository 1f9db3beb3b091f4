package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.audit.AuditLog.ClosedDay;
import fairgate.platform.audit.EventBuffers.PendingEvent;
import fairgate.platform.run.PeriodicJob;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes events from the buffers to PostgreSQL in batches, on a virtual thread. The traffic and
/// the purchases of a batch share rows: one row has up to 50 events of one kind. While PostgreSQL
/// is unavailable, events stay in the buffers; events that do not fit are counted as lost, and the
/// loss is itself recorded.
final class AuditWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);
  private static final int BATCH = 1_000;

  /// About 2 kB when compressed by PostgreSQL.
  private static final int MAX_EVENTS_PER_ROW = 50;

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

  private final EventBuffers buffers;
  private final AuditText text;
  private final PostgresAudit store;
  private final Clock clock;
  private final String writer;
  private final Runnable upkeep;
  private final PeriodicJob job =
      new PeriodicJob("audit-writer", PAUSE, this::writePending)
          .withRest(LONGEST_REST)
          .withFinalPass(STOP_TIMEOUT);
  private final List<PendingEvent> taken = new ArrayList<>(BATCH);
  private long batch;
  private long reportedLost;
  private volatile boolean failing;

  /// @param writer identifies this run of the server
  /// @param upkeep runs between batches while PostgreSQL is available
  AuditWriter(
      EventBuffers buffers,
      AuditText text,
      PostgresAudit store,
      Clock clock,
      String writer,
      Runnable upkeep) {
    this.buffers = buffers;
    this.text = text;
    this.store = store;
    this.clock = clock;
    this.writer = writer;
    this.upkeep = upkeep;
  }

  void start() {
    job.start();
  }

  /// There are events to write. Cheap.
  void wake() {
    job.wake();
  }

  /// Whether events are waiting because PostgreSQL is unavailable.
  boolean failing() {
    return failing;
  }

  /// The number of events lost because the buffers were full or PostgreSQL refused them.
  long lost() {
    return buffers.lost();
  }

  private void writePending() {
    boolean more = true;
    while (more) {
      more = writeBatch();
    }
  }

  /// Writes one batch; true when there may be more. The batch stays when PostgreSQL is unavailable.
  private boolean writeBatch() {
    if (taken.isEmpty()) {
      noteLoss();
      buffers.drain(taken, BATCH);
      taken.sort(Comparator.comparingLong(PendingEvent::at));
      if (taken.isEmpty()) {
        upkeep.run();
        return false;
      }
      batch++;
    }
    boolean full = taken.size() >= BATCH;
    write(drafts());
    taken.clear();
    return full;
  }

  private void noteLoss() {
    long lost = lost();
    if (lost > reportedLost) {
      taken.add(
          new PendingEvent(
              new AuditEvent(
                  AuditEvent.Kind.LOSS, "lost", Caller.NONE, Map.of("events", lost - reportedLost)),
              clock.millis()));
      reportedLost = lost;
    }
  }

  private List<PostgresAudit.Draft> drafts() {
    List<PostgresAudit.Draft> drafts = new ArrayList<>(taken.size());
    Map<AuditEvent.Kind, List<PendingEvent>> open = new EnumMap<>(AuditEvent.Kind.class);
    for (PendingEvent pending : taken) {
      AuditEvent.Kind kind = pending.event().kind();
      List<PendingEvent> row = open.computeIfAbsent(kind, _ -> new ArrayList<>());
      if (!row.isEmpty() && !fits(row, pending)) {
        drafts.add(draft(row));
        row.clear();
      }
      row.add(pending);
    }
    open.values().forEach(row -> drafts.add(draft(row)));
    return drafts;
  }

  private static boolean fits(List<PendingEvent> row, PendingEvent next) {
    return next.event().kind().sharesRows()
        && row.size() < MAX_EVENTS_PER_ROW
        && next.at() - row.getFirst().at() <= PostgresAuditReads.LONGEST_ROW.toMillis();
  }

  private PostgresAudit.Draft draft(List<PendingEvent> row) {
    PendingEvent first = row.getFirst();
    return new PostgresAudit.Draft(
        first.at(),
        first.event().kind().word(),
        row.stream().map(text::write).collect(Collectors.joining("\n")),
        row.size());
  }

  private void write(List<PostgresAudit.Draft> drafts) {
    try {
      logClosedDay(store.append(writer, batch, drafts));
      failing = false;
    } catch (ServiceUnavailable e) {
      failing = true;
      throw e;
    } catch (RuntimeException e) {
      LOG.error("Could not write audit events; events={}", taken.size(), e);
      buffers.lose(taken.size());
      // The loss is recorded by the next pass.
      job.wake();
    }
  }

  /// Logs the last hash of a day, so that it can be stored outside the database.
  static void logClosedDay(@Nullable ClosedDay closed) {
    if (closed != null) {
      LOG.info(
          "Audit log of a day closed; day={} events={} head={}",
          closed.day(),
          closed.events(),
          closed.head());
    }
  }

  /// Writes pending events if PostgreSQL is available, then stops.
  @Override
  public void close() {
    job.close();
    if (buffers.size() > 0) {
      LOG.warn("Audit events were not written before the stop; events={}", buffers.size());
    }
  }
}
