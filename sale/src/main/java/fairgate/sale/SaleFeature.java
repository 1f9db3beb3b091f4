package fairgate.sale;

import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.ProductRoutes.LiveView;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The wiring of selling.
public final class SaleFeature implements AutoCloseable {
  private static final Duration FRESH = Duration.ofMillis(200);

  private final SaleService service;
  private final SaleSync sync;
  private final SaleJobs jobs;
  private final SaleMeters meters;
  private final TrustCheck trust;
  private final ProductRoutes products;
  private final List<Route> routes;

  private SaleFeature(Config config, Dependencies parts) {
    SaleScripts scripts = SaleScripts.on(parts.redis(), config.keyStyle());
    this.service =
        new SaleService(
            parts.redis(),
            parts.keys(),
            parts.ids(),
            config,
            parts.audit(),
            id -> parts.catalog().find(id).isPresent(),
            parts.numbers());
    service.onAttempt(new PurchaseMeters(parts.metrics())::count);
    this.sync =
        new SaleSync(
            parts.catalog(),
            parts.live(),
            scripts,
            new SaleRebuild(parts.redis(), scripts, parts.ledger(), parts.ids().nonce()));
    this.jobs = new SaleJobs(sync, config.tick());
    this.meters =
        new SaleMeters(
            parts.live()::ids, ids -> sync.recent(ids, SaleMeters.PAUSE), parts.metrics());
    this.trust = new TrustCheck(parts.live(), scripts, sync);
    this.products = new ProductRoutes(parts.catalog(), new LiveView(service::live, FRESH));
    List<Route> all = new ArrayList<>(products.routes());
    all.addAll(new PurchaseRoutes(service, parts.paymentUrl()).routes());
    this.routes = List.copyOf(all);
  }

  /// The dependencies of sales.
  ///
  /// @param ledger the ledger's data about sales
  /// @param numbers gives a new order id its number
  /// @param paymentUrl page for paying a pending order; null if there is none
  public record Dependencies(
      RedisClient redis,
      KeyRing keys,
      Ids ids,
      Audit audit,
      Catalog catalog,
      LiveSales live,
      Metrics metrics,
      LedgerView ledger,
      UnaryOperator<OrderId> numbers,
      Function<PurchaseOutcome.Reserved, @Nullable String> paymentUrl) {}

  /// Creates the parts; nothing runs before `start`.
  public static SaleFeature wire(Config config, Dependencies parts) {
    return new SaleFeature(config, parts);
  }

  public SaleService service() {
    return service;
  }

  /// For operators: synchronizes a sale with the catalog at once.
  public SaleSync sync() {
    return sync;
  }

  /// The products as in the API, for the pages.
  public ProductRoutes products() {
    return products;
  }

  /// Sets the listener for the counters of each sale that has work, which this node reads every
  /// five seconds. It must neither block nor throw.
  public void onSample(BiConsumer<ProductId, LiveCounters> listener) {
    meters.onSample(listener);
  }

  public List<Route> routes() {
    return routes;
  }

  /// Its part of the admin API: products.
  ///
  /// @param verifiable whether buyers can verify what a sale would count
  public List<Route> adminRoutes(
      AdminGuard admin,
      Catalog catalog,
      Predicate<SalePolicy.Identity> verifiable,
      PriceCheck prices,
      Clock clock) {
    return new ProductAdmin(catalog, sync, service, verifiable, prices, clock, new SecureRandom())
        .routes(admin);
  }

  /// Says why an order at a price can never be paid; empty when it can.
  @FunctionalInterface
  public interface PriceCheck {
    Optional<AmountProblem> problem(Money price, int mostUnits);
  }

  /// Reports `sales` as down while they wait for the comparison with the ledger.
  public void report(Health health) {
    health.register("sales", trust::status);
  }

  /// Starts to keep Redis synchronized with the catalog.
  public void start() {
    jobs.start();
    meters.start();
  }

  @Override
  public void close() {
    meters.close();
    jobs.close();
  }

  /// The health check of sales that are held: after a restart of Redis they sell nothing until they
  /// were compared with the ledger.
  ///
  /// Looks at one sale of each Redis node, because a restart holds all sales of the node. The
  /// comparison reads one a second; Redis is asked only while there is none.
  record TrustCheck(LiveSales live, SaleScripts scripts, SaleSync sync) {
    /// Shorter than the time limit of a health check, after which sales would count as held.
    private static final long TIMEOUT_MS = 1_500;

    private static final Duration RECENT = Duration.ofSeconds(2);

    Future<Status> status() {
      Map<String, ProductId> byNode = new HashMap<>();
      live.ids().forEach(id -> byNode.putIfAbsent(scripts.node(id), id));
      List<Future<Boolean>> asked =
          byNode.entrySet().stream().map(one -> isHeld(one.getKey(), one.getValue())).toList();
      return Future.all(asked)
          .map(
              held ->
                  held.list().contains(true)
                      ? Status.down("sales wait for the comparison with the ledger")
                      : Status.good());
    }

    private Future<Boolean> isHeld(String node, ProductId id) {
      LiveCounters recent = sync.lastReading(node, RECENT);
      if (recent != null) {
        return Future.succeededFuture(isHeld(recent));
      }
      // Whether Redis answers is a check of its own, and a new sale is not in Redis yet.
      return scripts
          .live()
          .run(scripts.keys(id))
          .map(TrustCheck::isHeld)
          .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
          .otherwise(false);
    }

    private static boolean isHeld(LiveCounters counters) {
      return counters.known() && !counters.trusted();
    }
  }

  /// The settings of sales on this node.
  ///
  /// @param keyStyle format of Redis keys
  /// @param idempotencyLife how long the first reply to an idempotency key is kept: at least a day,
  ///   and never shorter than the longest payment window and three days of late callbacks
  /// @param tick interval of checks for due batches, openings and changes of the catalog
  public record Config(SaleKeys.Style keyStyle, Duration idempotencyLife, Duration tick) {
    /// The defaults: a single Redis, eleven days (a payment window is at most seven), ten ticks a
    /// second.
    public static Config defaults() {
      return new Config(SaleKeys.Style.PLAIN, Duration.ofDays(11), Duration.ofMillis(100));
    }

    /// Returns these settings with another style of key names.
    public Config with(SaleKeys.Style style) {
      return new Config(style, idempotencyLife, tick);
    }
  }

  /// Runs the node's background work on sales: a periodic job that synchronizes sales and releases
  /// stock at each tick, and compares Redis with the ledger about once a second. All nodes run one,
  /// without harm to each other.
  private static final class SaleJobs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SaleJobs.class);
    private static final Duration VERIFY_EVERY = Duration.ofSeconds(1);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

    private final SaleSync sync;
    private final PeriodicJob job;
    private long nextVerifyAt = System.nanoTime();
    private boolean failing;
    private boolean seen;

    SaleJobs(SaleSync sync, Duration tick) {
      this.sync = sync;
      this.job = new PeriodicJob("sale-jobs", tick, this::run).withStopTimeout(STOP_TIMEOUT);
    }

    /// Returns after the first round, if the engines answer. Nothing is sold before it.
    void start() {
      round(true);
      job.start();
    }

    private void run() {
      // After an outage the comparison comes first, because Redis may be older than before.
      boolean verify = failing || System.nanoTime() - nextVerifyAt >= 0;
      if (verify) {
        nextVerifyAt = System.nanoTime() + VERIFY_EVERY.toNanos();
      }
      round(verify);
    }

    private void round(boolean verify) {
      try {
        // Due units do not wait for the comparison of all sales. A Redis that was away, or that
        // this
        // node has not read yet, is compared before anything is written to it.
        boolean first = failing || !seen;
        if (verify && first) {
          sync.verify();
        }
        sync.round();
        if (verify && !first) {
          sync.verify();
        }
        seen = true;
        if (failing && verify) {
          LOG.info("Sales match the catalog again");
          failing = false;
        }
      } catch (RuntimeException e) {
        // Logged once per outage; the next tick tries again.
        if (!failing) {
          LOG.warn("Could not synchronize sales with the catalog; cause={}", e.toString());
        }
        failing = true;
      }
    }

    @Override
    public void close() {
      job.close();
    }
  }
}
