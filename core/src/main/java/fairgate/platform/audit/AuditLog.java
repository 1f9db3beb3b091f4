package fairgate.platform.audit;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.audit.EventBuffers.PendingEvent;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The audit log. It accepts events without blocking, writes critical events synchronously, and
/// searches events.
public final class AuditLog implements Audit, AutoCloseable {
  /// The number of events that [#tally] looks at.
  public static final int MOST_TALLIED = 200_000;

  private final Clock clock;
  private final EventBuffers buffers;
  private final AuditText text;
  private final AuditSampler sampler;
  private final PostgresAudit store;
  private final PostgresAuditReads reads;
  private final AuditWriter writer;

  private AuditLog(AuditConfig config, Parts parts) {
    this.clock = parts.clock();
    this.buffers = new EventBuffers(config.waiting());
    this.text = new AuditText(parts.keys(), parts.node());
    this.sampler = new AuditSampler(clock);
    this.store = new PostgresAudit(parts.database(), parts.keys());
    this.reads = new PostgresAuditReads(parts.database());
    this.writer =
        new AuditWriter(
            buffers,
            text,
            store,
            clock,
            parts.node() + "/" + parts.ids().nonce(),
            new AuditUpkeep(reads, config));
    parts
        .metrics()
        .gauge("fairgate_audit_waiting", "Events that wait to be written", buffers::size);
    parts
        .metrics()
        .gauge("fairgate_audit_lost", "Events of the audit log that were lost", writer::lost);
  }

  /// Starts the log. Never fails: PostgreSQL may become available later.
  public static AuditLog open(AuditConfig config, Parts parts) {
    AuditLog log = new AuditLog(config, parts);
    log.writer.start();
    return log;
  }

  @Override
  public void note(AuditEvent event) {
    buffers.add(new PendingEvent(event, clock.millis()));
    writer.wake();
  }

  @Override
  public int weight(AuditEvent.Kind kind, String what) {
    return switch (kind) {
      case REFUSAL -> sampler.count(what);
      // Only refused claims are sampled.
      case CLAIM -> sampler.count("claim " + what);
      case JOIN, ADMISSION, TURN, TOKEN, PURCHASE, BAN, ADMIN, LOSS -> 1;
    };
  }

  @Override
  public int weightOfUnlimited(String refusal) {
    return sampler.countUnlimited(refusal);
  }

  /// Writes an event synchronously. Blocks. Throws ServiceUnavailable when PostgreSQL is
  /// unavailable; the event may still have been written.
  public void record(AuditEvent event) {
    PendingEvent pending = new PendingEvent(event, clock.millis());
    AuditWriter.logClosedDay(
        store.append(
            List.of(
                new PostgresAudit.Draft(
                    pending.at(), event.kind().word(), text.write(pending), 1))));
  }

  /// Searches events, newest first. Blocks. Throws ServiceUnavailable when the search takes too
  /// long.
  public List<AuditEntry> search(AuditQuery query) {
    List<String> members = new ArrayList<>();
    for (Map.Entry<String, String> member : query.members().entrySet()) {
      members.add(member(member.getKey(), member.getValue()));
    }
    AuditEvent.Kind kind = query.kind();
    return reads.search(query, kind == null ? null : kind.word(), members);
  }

  /// The purchase of an order and the operators' acts on it, newest first. Blocks.
  public List<AuditEntry> ofOrder(OrderId order, int limit) {
    return reads.ofOrder(order.value(), limit);
  }

  /// Counts joins, purchases and refusals of the newest [#MOST_TALLIED] events of a time. Blocks:
  /// about a second per 100,000 events.
  public List<AuditTally.Line> tally(AuditTally tally) {
    return reads.tally(tally, MOST_TALLIED);
  }

  /// The latest days that have ended, newest first. Blocks.
  public List<ClosedDay> closedDays(int limit) {
    return reads.closed(limit);
  }

  /// The state of the log, for `/health/ready`.
  public Health.Status status() {
    if (writer.failing()) {
      return Health.Status.worse(buffers.size() + " events wait for postgresql");
    }
    long lost = writer.lost();
    return lost == 0
        ? Health.Status.good()
        : Health.Status.worse(lost + " events were lost since the start");
  }

  private String member(String name, String value) {
    return switch (name) {
      case "ip" -> AuditText.member("ip", text.ip(address(value)));
      case "network" -> AuditText.member("net", text.network(address(value)));
      case "session" -> AuditText.member("session", text.session(value));
      case "account" -> AuditText.member("account", text.account(value));
      default -> AuditText.member(name, value);
    };
  }

  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text), "not an address");
  }

  /// Writes pending events if PostgreSQL is available, then stops.
  @Override
  public void close() {
    writer.close();
  }

  /// Deletes expired data once an hour: contents by kind, then whole days.
  static final class AuditUpkeep implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditUpkeep.class);
    private static final long EVERY_NANOS = 3_600_000_000_000L;

    private final PostgresAuditReads store;
    private final AuditConfig config;
    private long next = System.nanoTime();

    AuditUpkeep(PostgresAuditReads store, AuditConfig config) {
      this.store = store;
      this.config = config;
    }

    @Override
    public void run() {
      if (System.nanoTime() - next < 0) {
        return;
      }
      next = System.nanoTime() + EVERY_NANOS;
      try {
        now();
      } catch (ServiceUnavailable e) {
        LOG.debug("Audit log upkeep is waiting for PostgreSQL", e);
      } catch (RuntimeException e) {
        LOG.error("Audit log upkeep failed", e);
      }
    }

    void now() {
      for (AuditEvent.Kind kind : AuditEvent.Kind.values()) {
        while (store.eraseOne(kind.word(), config.keep(kind))) {
          LOG.info("Erased expired audit contents; kind={}", kind.word());
        }
      }
      int longest = Collections.max(config.days().values());
      while (store.dropOne(longest)) {
        LOG.info("Dropped an expired day of the audit log");
      }
      store.forgetWriters();
    }
  }

  /// The dependencies of the audit log.
  ///
  /// @param keys for the chain (purpose `audit-chain`) and for names of persons (`audit-...`)
  /// @param ids creates the name of this run of the server
  /// @param node the name of this node
  public record Parts(
      PostgresDatabase database,
      KeyRing keys,
      Clock clock,
      Ids ids,
      Metrics metrics,
      String node) {}
}
