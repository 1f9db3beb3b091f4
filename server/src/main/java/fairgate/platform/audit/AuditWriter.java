package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.ServiceUnavailable;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries events from the rings to PostgreSQL, in batches, on a virtual thread of its own. While
/// PostgreSQL is away they wait in the rings, and those that find no room are counted; that so many
/// were lost is itself remembered.
final class AuditWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);
  private static final int BATCH = 1_000;
  private static final long LOOK_MS = 200;
  private static final long REST_MS = 1_000;
  private static final long LAST_WAIT_S = 4;

  private final Rings rings;
  private final AuditText text;
  private final PostgresAudit store;
  private final Clock clock;
  private final String writer;
  private final Runnable upkeep;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<Noted> taken = new ArrayList<>(BATCH);
  private long batch;
  private long told;
  private volatile boolean failing;

  /// @param writer names this run of the server among all writers
  /// @param upkeep run between batches now and then, when PostgreSQL answers
  AuditWriter(
      Rings rings,
      AuditText text,
      PostgresAudit store,
      Clock clock,
      String writer,
      Runnable upkeep) {
    this.rings = rings;
    this.text = text;
    this.store = store;
    this.clock = clock;
    this.writer = writer;
    this.upkeep = upkeep;
  }

  void start() {
    Thread.ofVirtual().name("audit-writer").start(this::run);
  }

  /// Whether events wait because PostgreSQL does not take them.
  boolean failing() {
    return failing;
  }

  /// How many events were lost: for want of room, or because PostgreSQL refused them.
  long lost() {
    return rings.lost();
  }

  private void run() {
    try {
      boolean more = false;
      while (more || !stop.await(failing ? REST_MS : LOOK_MS, TimeUnit.MILLISECONDS)) {
        more = round() && !failing;
      }
      while (round() && !failing) {
        // What came in before the end.
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      stopped.countDown();
    }
  }

  /// One batch; whether there may be more.
  private boolean round() {
    if (taken.isEmpty()) {
      noteLoss();
      rings.drain(taken, BATCH);
      if (taken.isEmpty()) {
        upkeep.run();
        return false;
      }
      batch++;
    }
    boolean full = taken.size() >= BATCH;
    if (attempt(drafts())) {
      taken.clear();
    }
    return full;
  }

  private void noteLoss() {
    long lost = lost();
    if (lost > told) {
      taken.add(
          new Noted(
              new AuditEvent(
                  AuditEvent.Kind.LOSS, "lost", Caller.NONE, Map.of("events", lost - told)),
              clock.millis()));
      told = lost;
    }
  }

  private List<PostgresAudit.Draft> drafts() {
    List<PostgresAudit.Draft> drafts = new ArrayList<>(taken.size());
    for (Noted noted : taken) {
      String kind = noted.event().kind().word();
      drafts.add(new PostgresAudit.Draft(noted.at(), kind, text.write(noted)));
    }
    return drafts;
  }

  /// Whether the batch is done with: written, or given up.
  private boolean attempt(List<PostgresAudit.Draft> drafts) {
    try {
      tell(store.append(writer, batch, drafts));
      failing = false;
      return true;
    } catch (ServiceUnavailable e) {
      if (!failing) {
        LOG.warn("the audit log waits for postgresql: {}", e.getMessage());
      }
      failing = true;
      return false;
    } catch (RuntimeException e) {
      LOG.error("{} events could not be written to the audit log", drafts.size(), e);
      rings.lose(drafts.size());
      return true;
    }
  }

  /// The last hash of a day is worth keeping elsewhere: a log file will do.
  static void tell(PostgresAudit.@Nullable Closed closed) {
    if (closed != null) {
      LOG.info(
          "the audit log of {} is closed: {} events, head {}",
          closed.day(),
          closed.events(),
          closed.head());
    }
  }

  /// Writes what waits, if PostgreSQL answers.
  @Override
  public void close() {
    stop.countDown();
    try {
      if (!stopped.await(LAST_WAIT_S, TimeUnit.SECONDS)) {
        LOG.warn("{} events of the audit log were not written in time", rings.size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
