package fairgate.gate.risk;

import fairgate.gate.risk.RiskService.DecisionLog;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Word;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Wires risk.
public final class RiskFeature implements AutoCloseable {
  private final RiskService service;
  private final Optional<DecisionWriter> writer;
  private final Optional<DecisionUpkeep> upkeep;
  private final DecisionSearch decisions;
  private final OwnHistory history;

  private RiskFeature(Config config, Dependencies parts) {
    PostgresDecisions store = new PostgresDecisions(parts.database());
    this.decisions = new PostgresDecisionSearch(parts.database());
    boolean on = config.mode() != Config.Mode.OFF;
    this.writer =
        on
            ? Optional.of(new DecisionWriter(store, config.waiting(), parts.metrics()))
            : Optional.empty();
    this.upkeep = on ? Optional.of(new DecisionUpkeep(store, config.kept())) : Optional.empty();
    Subjects subjects = new Subjects(parts.keys());
    this.history = new OwnHistory(subjects, new PostgresHistory(parts.database())::read);
    List<FeatureSource> own = List.of(new RequestFeatures(), history);
    this.service =
        new RiskService(
            config,
            parts.bundles(),
            new RiskService.Sources(own, parts.sources()),
            writer.<DecisionLog>map(one -> one).orElse(_ -> {}),
            new RiskService.Meters(parts.metrics()),
            subjects,
            parts.context());
  }

  /// The dependencies of risk.
  ///
  /// @param bundles the bundles in force
  /// @param sources further sources of features
  public record Dependencies(
      PostgresDatabase database,
      KeyRing keys,
      Metrics metrics,
      RiskBundle.Source bundles,
      List<FeatureSource> sources,
      RiskService.Context context) {}

  /// Nothing runs before `start`.
  public static RiskFeature wire(Config config, Dependencies parts) {
    return new RiskFeature(config, parts);
  }

  public RiskService service() {
    return service;
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin, AuditLog audit, Clock clock) {
    return new RiskAdmin(decisions, audit, clock).routes(admin);
  }

  /// Whether an appeal against a decision was granted.
  public boolean hasWonAppeal(Db db, String decision) {
    return PostgresDecisionSearch.hasWonAppeal(db, decision);
  }

  /// The identities of an account have changed: its next request on this node is judged by the new
  /// ones.
  public void forgetHistory(String account) {
    history.forget(account);
  }

  public void start() {
    writer.ifPresent(DecisionWriter::start);
    upkeep.ifPresent(DecisionUpkeep::start);
  }

  /// Writes waiting decisions if PostgreSQL is available, then stops.
  @Override
  public void close() {
    upkeep.ifPresent(DecisionUpkeep::close);
    writer.ifPresent(DecisionWriter::close);
  }

  /// Features that the request itself has.
  static final class RequestFeatures implements FeatureSource {
    private static final FeatureSchema SCHEMA = FeatureSchema.latest();
    private static final Feature ROUTE = SCHEMA.feature("route");
    private static final Feature HAS_COOKIE = SCHEMA.feature("has_cookie");
    private static final Feature HAS_INVITATION = SCHEMA.feature("has_invitation");
    private static final Feature QUANTITY = SCHEMA.feature("quantity");
    private static final Feature SIGNED_IN = SCHEMA.feature("signed_in");
    private static final Feature ADDRESS_FAMILY = SCHEMA.feature("address_family");

    @Override
    public Future<Void> contribute(RiskRequest request, Features.Builder features) {
      features
          .set(ROUTE, request.route().word())
          .set(HAS_COOKIE, request.http() != null && request.http().returning() != null)
          .set(HAS_INVITATION, request.invited())
          .set(QUANTITY, request.quantity())
          .set(SIGNED_IN, request.caller().account() != null)
          .set(ADDRESS_FAMILY, request.caller().address().isV4() ? 4L : 6L);
      return DONE;
    }
  }

  static final class DecisionUpkeep implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofHours(1);

    private final PostgresDecisions store;
    private final Duration kept;
    private final PeriodicJob job = new PeriodicJob("risk-upkeep", PAUSE, this::pass);

    DecisionUpkeep(PostgresDecisions store, Duration kept) {
      this.store = store;
      this.kept = kept;
    }

    void start() {
      job.withFirstPassAtOnce().start();
    }

    private void pass() {
      int deleted;
      do {
        deleted = store.deleteOlder(kept);
      } while (deleted > 0 && !job.isStopping());
    }

    @Override
    public void close() {
      job.close();
    }
  }

  /// Settings of risk.
  ///
  /// @param skipsChallenge whether the action `pass` lets a join pass without a challenge
  /// @param kept time after which decisions and their outcomes are deleted
  /// @param waiting decisions that may wait to be written on this node; more are dropped
  /// @param patience time for which a decision waits for its sources of features
  public record Config(
      Mode mode, boolean skipsChallenge, Duration kept, int waiting, Duration patience) {
    public static Config defaults() {
      return new Config(Mode.ENFORCE, true, Duration.ofDays(30), 20_000, Duration.ofMillis(500));
    }

    /// How far risk takes effect on this server.
    public enum Mode implements Word {
      /// Nothing is judged or recorded.
      OFF,
      /// Requests are judged and recorded; no action takes effect.
      OBSERVE,
      ENFORCE;

      public static Optional<Mode> named(String word) {
        return Arrays.stream(values()).filter(mode -> mode.word().equals(word)).findFirst();
      }
    }
  }
}
