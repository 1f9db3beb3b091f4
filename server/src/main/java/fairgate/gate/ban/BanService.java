package fairgate.gate.ban;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Bans;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.platform.http.Guard;
import fairgate.platform.observe.Health;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Bans and the allow-list. PostgreSQL is the truth; every node has what is in force in memory,
/// asks for changes four times a second, and goes on with what it has while PostgreSQL is away.
///
/// Looking somebody up never blocks. Changes by operators block; they are for virtual threads and
/// throw ServiceUnavailable when PostgreSQL cannot answer.
public final class BanService implements Bans, AutoCloseable {
  /// Entries of one effect a node keeps in memory, feeds not counted.
  public static final int MOST = 100_000;

  private final BanConfig config;
  private final Clock clock;
  private final BanParts parts;
  private final PostgresBans store;
  private final BanLists lists;
  private final BanSync sync;
  private final BanWriter writer;
  private final AsnDatabase asns;
  private final @Nullable CrowdsecFeed feed;

  private BanService(BanConfig config, BanParts parts) {
    this.config = config;
    this.parts = parts;
    this.clock = parts.clock();
    this.asns = new AsnDatabase(config.asnDatabase());
    this.store = new PostgresBans(parts.database());
    this.lists = new BanLists(parts.keys(), asns::number);
    this.sync = new BanSync(parts.vertx(), store, lists, clock);
    this.writer =
        new BanWriter(
            store,
            parts
                .metrics()
                .counter("fairgate_bans_unwritten_total", "Bans in force on this node only"));
    BanConfig.Crowdsec crowdsec = config.crowdsec();
    this.feed = crowdsec == null ? null : new CrowdsecFeed(crowdsec, lists, clock, parts.metrics());
  }

  /// Loads what is in force; blocks until it is there. Follows changes from then on, until closed.
  public static BanService open(BanConfig config, BanParts parts) {
    BanService service = new BanService(config, parts);
    service.asns.start();
    service.sync.start();
    service.writer.start();
    if (service.feed != null) {
      service.feed.start();
    }
    service.meter();
    return service;
  }

  /// The ban that keeps the caller out, if any; the allow-list wins over every ban.
  ///
  /// @param caller asked for only when more than the address matters
  public Optional<Ban> find(ClientAddress address, Supplier<Caller> caller) {
    return Optional.ofNullable(lists.find(address, caller, clock.millis()));
  }

  /// Whether the caller is on the allow-list.
  public boolean allows(ClientAddress address, Supplier<Caller> caller) {
    return lists.allows(address, caller, clock.millis()) != null;
  }

  /// Stands before all routes but those operators and machines need, and before the next guard.
  public Guard guard(@Nullable Guard next) {
    return new BanGuard(this, parts.ids(), next);
  }

  /// Adds an entry, or makes one that is in force last longer.
  ///
  /// @param length null = for ever
  public BanOutcome add(
      Ban.Effect effect,
      BanSubject subject,
      String reason,
      String actor,
      @Nullable Duration length) {
    if (lists.of(effect).size() >= MOST && lists.of(effect).get(subject) == null) {
      return new BanOutcome.Full(MOST);
    }
    BanOutcome outcome = store.add(new PostgresBans.Draft(effect, subject, reason, actor, length));
    switch (outcome) {
      case BanOutcome.Added(Ban ban) -> lists.of(effect).put(ban);
      case BanOutcome.Extended(Ban ban) -> lists.of(effect).put(ban);
      case BanOutcome.Full _ -> {}
    }
    return outcome;
  }

  /// Ends an entry; empty when there is none in force with this id.
  public Optional<Ban> lift(long id, String actor) {
    Optional<BanEntry> lifted = store.lift(id, actor);
    lifted.ifPresent(entry -> lists.apply(entry, clock.millis()));
    return lifted.map(BanEntry::ban);
  }

  public List<BanEntry> list(BanQuery query) {
    return store.list(query);
  }

  @Override
  public void ban(BanSubject subject, String reason, String actor, Duration length) {
    long now = clock.millis();
    long until = now + length.toMillis();
    BanTable table = lists.of(Ban.Effect.BAN);
    Ban held = table.get(subject);
    boolean longer = held == null || held.until() < until;
    if (!longer || isOurs(subject) || (held == null && table.size() >= MOST)) {
      return;
    }
    long id = held == null ? 0 : held.id();
    table.put(new Ban(id, Ban.Effect.BAN, subject, reason, actor, now, until));
    writer.add(new PostgresBans.Draft(Ban.Effect.BAN, subject, reason, actor, length));
    parts
        .audit()
        .note(
            new AuditEvent(
                AuditEvent.Kind.BAN,
                actor,
                Caller.NONE,
                Map.of("reason", reason, "kind", subject.kind().word(), "until", until)));
  }

  /// How fresh the picture is, for `/health/ready`.
  public Health.Status status() {
    return sync.status();
  }

  /// How the feed does; good when there is none.
  public Health.Status feedStatus() {
    return feed == null ? Health.Status.good() : feed.status();
  }

  /// A proxy of ours stands for everybody behind it whose address is not told.
  private boolean isOurs(BanSubject subject) {
    if (subject.kind() != BanSubject.Kind.IP && subject.kind() != BanSubject.Kind.NETWORK) {
      return false;
    }
    AddressBlock block = Objects.requireNonNull(AddressBlock.parse(subject.value()));
    return config.never().stream()
        .anyMatch(ours -> ours.contains(block.first()) || block.contains(ours.first()));
  }

  private void meter() {
    String help = "Entries in force on this node";
    parts
        .metrics()
        .gauge("fairgate_bans", help, () -> lists.of(Ban.Effect.BAN).size(), "list", "ban");
    parts
        .metrics()
        .gauge("fairgate_bans", help, () -> lists.of(Ban.Effect.ALLOW).size(), "list", "allow");
    parts.metrics().gauge("fairgate_bans", help, () -> lists.fed().size(), "list", "crowdsec");
  }

  @Override
  public void close() {
    if (feed != null) {
      feed.close();
    }
    sync.close();
    writer.close();
    asns.close();
  }
}
