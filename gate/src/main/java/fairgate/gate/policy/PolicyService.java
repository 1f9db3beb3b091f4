package fairgate.gate.policy;

import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.RiskBundle;
import fairgate.gate.risk.RiskDecision;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.text.Language;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The versions of the risk policy. PostgreSQL has them and one pointer to those in use; every node
/// keeps these compiled, polls for changes four times a second, and keeps them while PostgreSQL is
/// away.
///
/// Lookups never block. Steps of operators block, so they belong on virtual threads; they throw
/// ServiceUnavailable while PostgreSQL is away.
public final class PolicyService implements RiskBundle.Source, AutoCloseable {
  private static final String ENDED = "ended";

  static final int MAX_VERSIONS = 10_000;

  /// The author of the first bundle.
  static final String BUILT_IN = "built-in";

  private final Dependencies parts;
  private final PostgresPolicies store;
  private final PolicySync sync;
  private final DecisionCounts counts = new DecisionCounts();
  private final CanaryWatch watch;
  private final RecordedDecisions decisions;

  private PolicyService(Dependencies parts) {
    this.parts = parts;
    this.store = new PostgresPolicies(parts.database());
    this.sync = new PolicySync(store, parts.clock());
    this.watch =
        new CanaryWatch(
            store,
            sync,
            counts,
            PostgresRecordedDecisions::appeals,
            new CanaryWatch.Meters(parts.metrics(), sync),
            parts.audit());
    this.decisions = new RecordedDecisions(parts.database());
  }

  /// Publishes a first bundle if it is new, makes it active if nothing is, and loads the versions
  /// in use. Blocks until they are loaded. Follows changes until closed. Throws
  /// IllegalArgumentException when the bundle has problems.
  ///
  /// @param first the bundle that comes with the server, or the operator's in its stead
  public static PolicyService open(Dependencies parts, String first) {
    PolicyService service = new PolicyService(parts);
    service.publishFirst(first);
    service.sync.start();
    service.watch.start();
    return service;
  }

  /// The active version in a database, for commands that work without the server; the built-in
  /// bundle when nothing is active. Blocks.
  public static CompiledBundle active(PostgresDatabase database) {
    String json =
        database.reading(
            db ->
                PostgresPolicies.find(db, PostgresPolicies.pointer(db).active())
                    .map(PolicyVersion::bundle)
                    .orElseGet(BuiltInBundle::json));
    return switch (CompiledBundle.recompile(json)) {
      case CompiledBundle.Outcome.Accepted(CompiledBundle bundle) -> bundle;
      case CompiledBundle.Outcome.Refused(var problems) ->
          throw new IllegalStateException("the active policy does not compile: " + problems);
    };
  }

  private void publishFirst(String document) {
    Publication builtIn = new Publication(document, BUILT_IN, 0, "", Guardrails.defaults());
    String hash = new BuiltInBundle(document).bundleFor(() -> "").hash();
    long _ =
        store.change(
            (db, pointer) -> {
              PolicyVersion version =
                  PostgresPolicies.byHash(db, hash)
                      .orElseGet(() -> publish(db, builtIn, hash).orElseThrow());
              if (pointer.active() == 0) {
                PostgresPolicies.move(db, pointer.withActive(version.version()));
                PostgresPolicies.note(db, version.version(), "activated", BUILT_IN, "");
              }
              return version.version();
            });
  }

  @Override
  public CompiledBundle bundleFor(Supplier<String> subject) {
    PoliciesInForce inForce = sync.inForce();
    PoliciesInForce.Loaded canary = inForce.canary();
    return canary != null && sync.isFresh() && inForce.isCanaryFor(subject.get())
        ? canary.bundle()
        : inForce.active().bundle();
  }

  @Override
  public List<CompiledBundle> shadows() {
    return sync.inForce().evaluated();
  }

  @Override
  public void decided(RiskDecision decision) {
    counts.add(decision, sync.inForce());
  }

  public RulesInWords rulesInWords(Language language) {
    return RulesInWords.of(sync.inForce().active().bundle().bundle(), language);
  }

  /// The age of this node's versions, for `/health/ready`.
  public Health.Status status() {
    return sync.status();
  }

  /// Steps of all versions after an id, oldest first. Blocks.
  public List<PolicyVersion.Step> stepsAfter(long id, int limit) {
    return store.reading(db -> PostgresPolicies.stepsAfter(db, id, limit));
  }

  /// Versions below one, newest first.
  public List<PolicyView> list(long below, int limit) {
    return store.reading(db -> PolicyView.list(db, below, limit));
  }

  public Optional<PolicyView> find(long version) {
    return store.reading(db -> PolicyView.of(db, PostgresPolicies.pointer(db), version));
  }

  /// The problems of a document; empty when it could be published. Changes nothing.
  public List<RiskBundle.Problem> problems(String bundle) {
    return switch (CompiledBundle.compile(bundle)) {
      case CompiledBundle.Outcome.Refused(var problems) -> problems;
      case CompiledBundle.Outcome.Accepted _ -> List.of();
    };
  }

  /// Checks a document and publishes it as a new version, which is not in use.
  public RolloutOutcome publish(Publication publication) {
    return switch (CompiledBundle.compile(publication.bundle())) {
      case CompiledBundle.Outcome.Refused(var problems) -> new RolloutOutcome.Invalid(problems);
      case CompiledBundle.Outcome.Accepted(CompiledBundle bundle) ->
          audited(
              "published",
              store.change((db, pointer) -> publish(db, pointer, publication, bundle.hash())));
    };
  }

  private RolloutOutcome publish(
      Db db, PolicyPointer pointer, Publication publication, String hash) {
    Optional<PolicyVersion> known = PostgresPolicies.byHash(db, hash);
    if (known.isPresent()) {
      return new RolloutOutcome.Exists(
          PolicyView.of(db, pointer, known.get().version()).orElseThrow());
    }
    long parent = publication.parent();
    if (parent != 0 && PostgresPolicies.find(db, parent).isEmpty()) {
      return new RolloutOutcome.Unknown();
    }
    if (PostgresPolicies.size(db) >= MAX_VERSIONS) {
      return new RolloutOutcome.Conflict(RolloutOutcome.Reason.TOO_MANY);
    }
    PolicyVersion version = publish(db, publication, hash).orElseThrow();
    return new RolloutOutcome.Published(
        PolicyView.of(db, pointer, version.version()).orElseThrow());
  }

  private Optional<PolicyVersion> publish(Db db, Publication publication, String hash) {
    Optional<PolicyVersion> added =
        PostgresPolicies.add(
            db,
            new PostgresPolicies.Draft(
                publication.bundle(),
                hash,
                parts.ids().nonce(),
                publication.author(),
                publication.parent(),
                publication.note(),
                publication.guardrails()));
    added.ifPresent(
        version ->
            PostgresPolicies.note(db, version.version(), "created", publication.author(), hash));
    return added;
  }

  /// Runs a version on recorded decisions and keeps the report. Takes long.
  public RolloutOutcome backtest(long version, RecordedDecisions.Range range, String actor) {
    Optional<PolicyView> found = find(version);
    if (found.isEmpty()) {
      return new RolloutOutcome.Unknown();
    }
    BacktestReport report = BacktestReport.of(decisions, found.get().version(), range);
    return audited(
        "backtested",
        store.change(
            (db, pointer) -> {
              PostgresPolicies.keepBacktest(db, version, report.hash(), report.json(), actor);
              PostgresPolicies.note(db, version, "backtested", actor, report.hash());
              return done(db, pointer, version);
            }));
  }

  /// Makes a version the canary, or changes the goal of the present canary.
  ///
  /// @param percent of the people when the ramp is complete; with 0 the canary is evaluated beside
  ///   the active version and decides nothing
  public RolloutOutcome canary(long version, int percent, String actor) {
    int goal = percent * PoliciesInForce.PARTS / 100;
    return move(
        "canary",
        version,
        (db, pointer) -> {
          if (pointer.canary() != 0 && pointer.canary() != version) {
            return Optional.of(RolloutOutcome.Reason.OTHER_CANARY);
          }
          PolicyPointer next =
              pointer.canary() == version
                  ? pointer.withGoal(goal)
                  : pointer.withCanary(version, goal);
          PostgresPolicies.move(db, next);
          PostgresPolicies.forgetCounts(db);
          PostgresPolicies.note(db, version, "canary", actor, CanaryWatch.percent(goal));
          return Optional.empty();
        });
  }

  public RolloutOutcome endCanary(long version, String actor) {
    return move(
        "canary",
        version,
        (db, pointer) -> {
          if (pointer.canary() == version) {
            PostgresPolicies.move(db, pointer.withoutCanary());
            PostgresPolicies.note(db, version, "canary", actor, ENDED);
          }
          return Optional.empty();
        });
  }

  /// Makes a version active.
  ///
  /// @param confirmed whether the operator wants it without a backtest that judged any decision
  public RolloutOutcome activate(long version, boolean confirmed, String actor) {
    boolean isTested = confirmed || store.reading(db -> PostgresPolicies.isTested(db, version));
    if (!isTested && find(version).isPresent()) {
      return new RolloutOutcome.BacktestMissing();
    }
    return move(
        "activated",
        version,
        (db, pointer) -> {
          PostgresPolicies.move(db, pointer.withActive(version));
          PostgresPolicies.note(db, version, "activated", actor, confirmed ? "confirmed" : "");
          return Optional.empty();
        });
  }

  /// Makes the version active that was active before, and ends any canary. A repeat goes forward
  /// again, unless it names the version that was active.
  ///
  /// @param seen the version that the operator saw active: when another one is active by now,
  ///   nothing changes. 0 for any
  public RolloutOutcome rollback(long seen, String actor) {
    RolloutOutcome outcome =
        store.change(
            (db, pointer) -> {
              if (seen != 0 && seen != pointer.active()) {
                return new RolloutOutcome.Conflict(RolloutOutcome.Reason.OTHER_ACTIVE);
              }
              if (pointer.previous() == 0) {
                return new RolloutOutcome.Conflict(RolloutOutcome.Reason.NO_PREVIOUS);
              }
              PolicyPointer next = pointer.rolledBack();
              PostgresPolicies.move(db, next);
              if (pointer.canary() != 0) {
                PostgresPolicies.note(
                    db,
                    pointer.canary(),
                    "canary",
                    actor,
                    ENDED + "; rollback of " + pointer.active());
              }
              PostgresPolicies.note(
                  db, next.active(), "activated", actor, "rollback of " + pointer.active());
              PostgresPolicies.note(db, pointer.active(), "rolled_back", actor, "");
              return done(db, next, next.active());
            });
    var _ = audited("rolled_back", outcome);
    sync.refresh();
    return outcome;
  }

  /// @param move a step with the pointer; returns a reason when the state does not allow it
  private RolloutOutcome move(
      String step,
      long version,
      BiFunction<Db, PolicyPointer, Optional<RolloutOutcome.Reason>> move) {
    RolloutOutcome outcome =
        store.change(
            (db, pointer) -> {
              if (PostgresPolicies.find(db, version).isEmpty()) {
                return new RolloutOutcome.Unknown();
              }
              if (pointer.active() == version) {
                return new RolloutOutcome.Conflict(RolloutOutcome.Reason.IS_ACTIVE);
              }
              return move.apply(db, pointer)
                  .<RolloutOutcome>map(RolloutOutcome.Conflict::new)
                  .orElseGet(() -> done(db, PostgresPolicies.pointer(db), version));
            });
    var _ = audited(step, outcome);
    sync.refresh();
    return outcome;
  }

  private RolloutOutcome done(Db db, PolicyPointer pointer, long version) {
    return new RolloutOutcome.Done(PolicyView.of(db, pointer, version).orElseThrow());
  }

  /// Records a step that was made in the audit log. The operator is in the entry of the request.
  private RolloutOutcome audited(String step, RolloutOutcome outcome) {
    @Nullable PolicyView view =
        switch (outcome) {
          case RolloutOutcome.Published(PolicyView published) -> published;
          case RolloutOutcome.Done(PolicyView changed) -> changed;
          case RolloutOutcome.Exists _,
              RolloutOutcome.Invalid _,
              RolloutOutcome.Unknown _,
              RolloutOutcome.BacktestMissing _,
              RolloutOutcome.Conflict _ ->
              null;
        };
    if (view != null) {
      parts
          .audit()
          .note(
              new AuditEvent(
                  AuditEvent.Kind.ADMIN,
                  "policy_" + step,
                  Caller.NONE,
                  Map.of("version", view.version().version(), "sha256", view.version().sha256())));
    }
    return outcome;
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return new PolicyAdmin(this).routes(admin);
  }

  /// One pass of the canary's guardrails, for tests.
  void watchNow() {
    watch.pass();
  }

  @Override
  public void close() {
    watch.close();
    sync.close();
  }

  public record Dependencies(
      PostgresDatabase database, Clock clock, Ids ids, Metrics metrics, Audit audit) {}

  /// A document to publish.
  ///
  /// @param bundle JSON, kept exactly
  /// @param parent the version it was made from; 0 for none
  /// @param note for operators
  public record Publication(
      String bundle, String author, long parent, String note, Guardrails guardrails) {}
}
