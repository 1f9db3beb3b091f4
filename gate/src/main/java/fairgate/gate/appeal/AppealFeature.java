package fairgate.gate.appeal;

import fairgate.gate.ban.BanService;
import fairgate.kernel.Decision;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Wires appeals. `fairgate.app.FeatureSet` connects them to places and pauses.
public final class AppealFeature implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration CLEANUP = Duration.ofHours(6);

  /// Letters are erased, and later appeals deleted, this long after the decision.
  private static final Duration LETTERS = Duration.ofDays(183);

  private static final Duration APPEALS = Duration.ofDays(400);

  private final AppealService service;
  private final SaleDecisions decisions;
  private final Clock clock;
  private final Runnable deadlines;
  private final PeriodicJob job =
      new PeriodicJob("appeals", PAUSE, this::pass).withFinalPass(STOP_TIMEOUT);
  private volatile PostgresAppeals.Counts counts = new PostgresAppeals.Counts(0, 0);
  private Consumer<Seats> seats = _ -> {};
  private long cleanupAt;

  private AppealFeature(
      AppealService service, SaleDecisions decisions, Clock clock, ChangePoll changes) {
    this.service = service;
    this.decisions = decisions;
    this.clock = clock;
    this.cleanupAt = clock.millis();
    this.deadlines = changes.resting(this::enforceDeadlines);
  }

  public record Dependencies(
      PostgresDatabase database,
      BanService bans,
      Clock clock,
      Ids ids,
      KeyRing keys,
      Metrics metrics) {}

  /// The sales of the catalog.
  ///
  /// @param open those that are on now
  /// @param exists whether there is a sale of this product
  public record Sales(Supplier<List<OpenSale>> open, Predicate<ProductId> exists) {}

  /// A sale that is on.
  ///
  /// @param closesAt ms; 0 when no end is planned
  public record OpenSale(ProductId product, long closesAt) {}

  /// Moves places that a decision on risk seated behind others. May block.
  @FunctionalInterface
  public interface Seats {
    /// Changes nothing when the decision has no waiting place, or the place has that seat.
    ///
    /// @param behind behind all others; false for the place without the decision
    void move(ProductId sale, String decision, boolean behind);
  }

  /// Ends the pauses of people in a sale. May block.
  @FunctionalInterface
  public interface Pauses {
    /// A repeat changes nothing.
    ///
    /// @param device the hash of the browser within the sale; null for none
    /// @param account null for a guest
    void end(ProductId sale, @Nullable String device, @Nullable String account);
  }

  public static AppealFeature wire(Dependencies parts, Sales sales) {
    PostgresRiskDecisions risk = new PostgresRiskDecisions(parts.database());
    AppealFeature feature = wire(parts, sales, risk);
    feature.seats = risk::seats;
    return feature;
  }

  static AppealFeature wire(Dependencies parts, Sales sales, StoredDecisions stored) {
    PostgresAppeals store = new PostgresAppeals(parts.database());
    AppealService service =
        new AppealService(
            store,
            parts.bans(),
            stored,
            new AppealClock(sales.open(), parts.clock()),
            parts.keys(),
            parts.ids(),
            parts.metrics());
    AppealFeature feature =
        new AppealFeature(
            service,
            new SaleDecisions(new PostgresSaleDecisions(parts.database()), sales.exists()),
            parts.clock(),
            parts.database().changes());
    feature.meter(parts.metrics());
    return feature;
  }

  private void meter(Metrics metrics) {
    metrics.gauge("fairgate_appeals_open", "Appeals without a decision", () -> counts.open());
    metrics.gauge(
        "fairgate_appeals_overdue",
        "Appeals whose deadline has passed without a decision",
        () -> counts.overdue());
  }

  /// Sets how places are moved. Call before `start`.
  public void onReseat(Seats other) {
    seats.accept(other);
  }

  /// Sets how pauses end. Call before `start`.
  public void onEndPause(Pauses pauses) {
    service.onEndPause(pauses);
  }

  public AppealService service() {
    return service;
  }

  public SaleDecisions decisions() {
    return decisions;
  }

  /// Counts a decision for the table of its sale. Never blocks.
  public void count(Decision decision) {
    ProductId product = decision.product();
    if (product != null) {
      decisions.count(product, decision.code().name());
    }
  }

  /// Counts a demotion for the table of its sale. Never blocks.
  ///
  /// @param action the word for it; one of few
  public void countDemotion(ProductId product, String action) {
    decisions.count(product, action);
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin, AuditLog audit) {
    return new AppealAdmin(service, audit).routes(admin);
  }

  public void start() {
    job.start();
  }

  /// Applies deadlines and writes counts.
  void pass() {
    decisions.write();
    deadlines.run();
    if (clock.millis() >= cleanupAt) {
      service.forget(LETTERS, APPEALS);
      cleanupAt = clock.millis() + CLEANUP.toMillis();
    }
  }

  private boolean enforceDeadlines() {
    counts = service.enforceDeadlines();
    return counts.open() > 0;
  }

  @Override
  public void close() {
    job.close();
  }
}
