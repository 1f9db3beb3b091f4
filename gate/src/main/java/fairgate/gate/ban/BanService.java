package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Bans and the allow-list. PostgreSQL has the authoritative state. Every node caches the entries
/// in force, polls for changes four times a second, and keeps its cache while PostgreSQL is away.
///
/// Lookups never block. Changes by operators block, so they belong on virtual threads; they throw
/// ServiceUnavailable while PostgreSQL is away.
public final class BanService implements AutoCloseable {
  /// The maximum number of entries of one effect in memory, without those of feeds.
  public static final int MAX_ENTRIES = 100_000;

  private static final Duration CLEANUP_INTERVAL = Duration.ofHours(6);

  private final Clock clock;
  private final BanDependencies parts;
  private final PostgresBans store;
  private final BanLists lists;
  private final BanSync sync;
  private final PeriodicJob cleanup;
  private final @Nullable CrowdsecFeed feed;
  private volatile Function<String, Future<Void>> onAccountBan = _ -> Future.succeededFuture();

  private BanService(Config config, BanDependencies parts) {
    this.parts = parts;
    this.clock = parts.clock();
    this.store = new PostgresBans(parts.database());
    this.lists = new BanLists(parts.keys(), parts.networks());
    this.sync = new BanSync(parts.vertx(), store, lists, clock, this::notifyListener);
    this.cleanup =
        new PeriodicJob("ban-cleanup", CLEANUP_INTERVAL, store::forget).withFirstPassAtOnce();
    Config.Crowdsec crowdsec = config.crowdsec();
    this.feed = crowdsec == null ? null : new CrowdsecFeed(crowdsec, lists, clock, parts.metrics());
  }

  /// Loads the entries in force and blocks until they are loaded. Follows changes until closed.
  public static BanService open(Config config, BanDependencies parts) {
    BanService service = new BanService(config, parts);
    service.sync.start();
    service.cleanup.start();
    if (service.feed != null) {
      service.feed.start();
    }
    service.meter();
    return service;
  }

  /// The ban that applies to the caller, if any. The allow-list wins over every ban.
  ///
  /// @param caller called only when more than the address matters
  public Optional<Ban> find(ClientAddress address, Supplier<Caller> caller) {
    return Optional.ofNullable(lists.find(address, caller, clock.millis()));
  }

  /// Whether the caller is on the allow-list and spared the limits.
  public boolean allows(ClientAddress address, Supplier<Caller> caller) {
    return exemptions(address, caller).anyMatch(Ban::spares);
  }

  public boolean isExemptAfterAppeal(Caller caller) {
    return exemptions(caller.address(), () -> caller).anyMatch(Ban::followsAppeal);
  }

  /// The entries of the allow-list that apply to the caller: those about the caller come before
  /// those about the network.
  public Stream<Ban> exemptions(ClientAddress address, Supplier<Caller> caller) {
    return lists.exemptions(address, caller, clock.millis());
  }

  /// The entry in force for exactly this subject, if any.
  public Optional<Ban> get(Ban.Effect effect, BanSubject subject) {
    return Optional.ofNullable(lists.of(effect).get(subject))
        .filter(entry -> entry.holds(clock.millis()));
  }

  /// Whether any entry is about an account; only then a request's account is needed.
  boolean needAccounts() {
    return lists.needAccounts();
  }

  /// A guard for all routes except those of operators and machines. It runs before the next guard.
  ///
  /// @param accounts the account id of a request; empty for a guest. Called only while an entry is
  ///   about an account
  public Guard guard(Function<Request, Future<Optional<String>>> accounts, @Nullable Guard next) {
    return new BanGuard(this, accounts, next);
  }

  /// Whether entries of this kind can take effect on this node: those by autonomous system and by
  /// country need a file that could be read.
  public boolean canApply(BanSubject.Kind kind) {
    return switch (kind) {
      case ASN -> parts.networks().knowsAsns();
      case COUNTRY -> parts.networks().knowsCountries();
      case IP, NETWORK, DEVICE, ACCOUNT, SESSION -> true;
    };
  }

  /// Sets the listener that ends an account's places in the queues: its session alone could still
  /// buy. Every node calls it when it learns of a ban of an account after its start, so a place
  /// taken on a node without that knowledge ends, too. The listener gets the account id and must
  /// not block.
  public void onAccountBan(Function<String, Future<Void>> listener) {
    onAccountBan = listener;
  }

  private Future<Void> notifyListener(Ban ban) {
    return ban.effect() == Ban.Effect.BAN && ban.subject().kind() == BanSubject.Kind.ACCOUNT
        ? onAccountBan.apply(ban.subject().value())
        : Future.succeededFuture();
  }

  private void enforce(Ban ban) {
    sync.changeLocally(() -> lists.of(ban.effect()).put(ban));
    notifyListener(ban).await();
  }

  /// Adds an entry, or extends the one in force.
  ///
  /// @param length null for a permanent entry
  public Outcome add(
      Ban.Effect effect,
      BanSubject subject,
      String reason,
      String actor,
      @Nullable Duration length) {
    return add(new PostgresBans.Draft(effect, subject, reason, actor, length, null), null);
  }

  /// Adds an exemption that an appeal leaves. It replaces entries of earlier appeals that spare
  /// less; entries of others stay as they are.
  ///
  /// @param author as [Ban] names those of appeals
  public Outcome exemptAfterAppeal(
      BanSubject subject, String reason, String author, Duration length) {
    return add(
        new PostgresBans.Draft(
            Ban.Effect.ALLOW, subject, reason, author, length, Ban.replacedBy(author)),
        null);
  }

  /// Replaces a ban by the shorter one that an appeal leaves, in one transaction.
  public Outcome replaceAfterAppeal(Ban ban, String reason, Duration length) {
    return add(
        new PostgresBans.Draft(
            ban.effect(), ban.subject(), reason, Ban.APPEAL, length, Ban.replacedBy(Ban.APPEAL)),
        ban);
  }

  /// @param ended the entry of the same subject that ends in the same transaction; null for none
  private Outcome add(PostgresBans.Draft draft, @Nullable Ban ended) {
    Ban.Effect effect = draft.effect();
    BanSubject subject = draft.subject();
    if (lists.of(effect).size() >= MAX_ENTRIES && lists.of(effect).get(subject) == null) {
      return new Outcome.Full(MAX_ENTRIES);
    }
    Outcome outcome =
        ended == null ? store.add(draft) : store.replace(ended.id(), Ban.APPEAL, draft);
    switch (outcome) {
      case Outcome.Added(Ban ban) -> enforce(ban);
      case Outcome.Extended(Ban ban) -> enforce(ban);
      case Outcome.Kept _ -> {}
      case Outcome.Full _ -> {}
    }
    return outcome;
  }

  /// Ends the exemption that an appeal has left to exactly this subject, if any: it would win over
  /// a ban.
  public void endExemption(BanSubject subject, String actor) {
    Optional<Ban> _ =
        get(Ban.Effect.ALLOW, subject)
            .filter(Ban::isLeftByAppeal)
            .flatMap(entry -> lift(entry.id(), entry.actor(), actor));
  }

  /// Ends an entry; empty when no entry in force has this id.
  public Optional<Ban> lift(long id, String actor) {
    return lift(id, null, actor);
  }

  /// Ends an entry while it is of this author: another one may have taken it over. Empty when
  /// nothing has ended.
  ///
  /// @param author null for any
  public Optional<Ban> lift(long id, @Nullable String author, String actor) {
    Optional<Ban.Entry> lifted = store.lift(id, author, actor);
    lifted.ifPresent(entry -> sync.changeLocally(() -> lists.apply(entry, clock.millis())));
    return lifted.map(Ban.Entry::ban);
  }

  /// The stored entry of this id, in force or not.
  public Optional<Ban.Entry> entry(long id) {
    return store.entry(id);
  }

  public List<Ban.Entry> list(Ban.Query query) {
    return store.list(query);
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return new BanAdmin(this, parts.metrics()).routes(admin);
  }

  /// The age of this node's cache, and whether it can apply all entries, for `/health/ready`.
  public Health.Status status() {
    for (BanSubject.Kind kind : BanSubject.Kind.values()) {
      if (lists.has(kind) && !canApply(kind)) {
        return Health.Status.worse("entries by " + kind.word() + " need a database file");
      }
    }
    return sync.status();
  }

  /// The state of the feed; good when there is none.
  public Health.Status feedStatus() {
    return feed == null ? Health.Status.good() : feed.status();
  }

  private void meter() {
    String help = "Entries in force on this node";
    parts
        .metrics()
        .gauge("fairgate_bans", help, () -> lists.of(Ban.Effect.BAN).size(), "list", "ban");
    parts
        .metrics()
        .gauge("fairgate_bans", help, () -> lists.of(Ban.Effect.ALLOW).size(), "list", "allow");
    parts.metrics().gauge("fairgate_bans", help, () -> lists.feed().size(), "list", "crowdsec");
  }

  @Override
  public void close() {
    if (feed != null) {
      feed.close();
    }
    sync.close();
    cleanup.close();
  }

  /// Dependencies of bans.
  ///
  /// @param keys keys for the hashes of devices
  /// @param networks the country and autonomous system of an address
  /// @param clock nodes' clocks may differ; a ban ends on each node by its own clock
  public record BanDependencies(
      Vertx vertx,
      PostgresDatabase database,
      Clock clock,
      KeyRing keys,
      Networks networks,
      Metrics metrics) {}

  /// Settings of bans.
  ///
  /// @param crowdsec a further list to follow; null without one
  public record Config(@Nullable Crowdsec crowdsec) {
    /// Settings of a CrowdSec local API.
    ///
    /// @param url base URL, without `/v1`
    /// @param apiKey key of a bouncer registered for this node only, because the API tracks per key
    ///   what it has sent
    /// @param every polling interval
    public record Crowdsec(String url, String apiKey, Duration every) {
      @Override
      public String toString() {
        return "Crowdsec[" + url + "]";
      }
    }

    public static Config defaults() {
      return new Config(null);
    }
  }

  public sealed interface Outcome {
    /// In force on this node, and on all nodes within a second.
    record Added(Ban ban) implements Outcome {}

    /// An entry existed. It now has the later of the two ends, and the new reason and actor.
    record Extended(Ban ban) implements Outcome {}

    /// An entry existed that an appeal must not change.
    record Kept(Ban ban) implements Outcome {}

    /// The list has reached its limit of entries in memory.
    record Full(int limit) implements Outcome {}
  }
}
