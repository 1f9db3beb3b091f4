package fairgate.platform.audit;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.audit.EventBuffers.PendingEvent;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The audit log. It accepts events without blocking, writes critical events synchronously, and
/// searches events.
public final class AuditLog implements Audit, AutoCloseable {
  /// The number of events that [#tally] looks at.
  public static final int MOST_TALLIED = 200_000;

  /// Orders have the time of Redis, events that of their node.
  private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(5);

  private final Clock clock;
  private final EventBuffers buffers;
  private final AuditText text;
  private final AuditSampler sampler;
  private final PostgresAudit store;
  private final PostgresAuditReads reads;
  private final AuditWriter writer;

  private AuditLog(Config config, Parts parts) {
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
  public static AuditLog open(Config config, Parts parts) {
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
  public List<Entry> search(Query query) {
    List<String> members = new ArrayList<>();
    for (Map.Entry<String, String> member : query.members().entrySet()) {
      members.add(member(member.getKey(), member.getValue()));
    }
    AuditEvent.Kind kind = query.kind();
    return reads.search(query, kind == null ? null : kind.word(), members);
  }

  /// The operators' acts on an order, newest first, then its purchase. Blocks.
  ///
  /// @param orderedAt the time of the purchase by another clock
  public List<Entry> ofOrder(OrderId order, Instant orderedAt, int limit) {
    Query purchase =
        new Query(
            orderedAt.minus(CLOCK_DIFFERENCE).toEpochMilli(),
            orderedAt.plus(CLOCK_DIFFERENCE).toEpochMilli(),
            AuditEvent.Kind.PURCHASE,
            Map.of("order", order.value()),
            null,
            1);
    List<Entry> entries = new ArrayList<>(reads.actsOn(order.value(), limit));
    entries.addAll(search(purchase));
    return entries;
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
    private final Config config;
    private long next = System.nanoTime();

    AuditUpkeep(PostgresAuditReads store, Config config) {
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

  /// The retention of audit events, and the size of the buffers.
  ///
  /// @param days the number of days that contents are kept, by kind
  /// @param waiting the capacity of each buffer: one per event loop and one shared
  public record Config(Map<AuditEvent.Kind, Integer> days, int waiting) {
    public Config {
      days = Map.copyOf(days);
    }

    /// The defaults: traffic 90 days; purchases, claims, bans and operators' actions three years;
    /// 32,768 buffered events.
    public static Config defaults() {
      return of(90, 1_095);
    }

    /// The defaults with other retention times.
    ///
    /// @param traffic days for joins, admissions, turns, tokens and refusals
    /// @param records days for purchases, claims, bans, operators' actions and losses
    public static Config of(int traffic, int records) {
      Map<AuditEvent.Kind, Integer> days = new EnumMap<>(AuditEvent.Kind.class);
      for (AuditEvent.Kind kind : AuditEvent.Kind.values()) {
        days.put(kind, kind.isTraffic() ? traffic : records);
      }
      return new Config(days, 1 << 15);
    }

    /// The number of days that a kind is kept.
    int keep(AuditEvent.Kind kind) {
      return days.getOrDefault(kind, Integer.MAX_VALUE);
    }
  }

  /// An event of the audit log.
  ///
  /// @param day as 2026-11-21, by PostgreSQL's clock at the time of writing
  /// @param seq the number within the day, from 1
  /// @param at the time of the event, ms
  /// @param content JSON; null after its retention time
  /// @param digest SHA-256 of the erased content of its row
  /// @param hash of its row, which may have further events of the same kind
  public record Entry(
      String day,
      long seq,
      long at,
      String kind,
      @Nullable String content,
      @Nullable String digest,
      String hash) {
    public JsonText json() {
      JsonText json =
          JsonText.object()
              .put("day", day)
              .put("seq", seq)
              .put("at", at)
              .put("kind", kind)
              .put("hash", hash);
      return content == null ? json.put("erased", true) : json.putRaw("event", content);
    }
  }

  /// A search for events, newest first.
  ///
  /// @param from start in ms, inclusive
  /// @param to end in ms, exclusive; at most 31 days after the start
  /// @param members required values: `what`, `node`, `product`, `order`, `decision_id` and `device`
  ///   as stored; `ip`, `network`, `session` and `account` in plain form (an address as text)
  /// @param before only rows before this one
  public record Query(
      long from,
      long to,
      AuditEvent.@Nullable Kind kind,
      Map<String, String> members,
      @Nullable Cursor before,
      int limit) {
    public record Cursor(String day, long seq) {}
  }

  /// A day of the audit log that has ended: its head never changes, even if contents are erased.
  ///
  /// @param day as 2026-11-21
  /// @param events the number of events
  /// @param head the last hash of its chain, 64 hexadecimal digits
  public record ClosedDay(String day, long events, String head) {}
}
