package fairgate.app;

import fairgate.account.identity.IdentityFeature;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.pages.AccountPages;
import fairgate.app.pages.ClaimPages;
import fairgate.app.pages.ConsolePage;
import fairgate.app.pages.LinkPages;
import fairgate.app.pages.PageSettings;
import fairgate.app.pages.ShopPages;
import fairgate.app.pages.docs.ApiDocsPage;
import fairgate.kernel.KeyRing;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.audit.AuditParts;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.http.HttpSeams;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.http.ObserveRoutes;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// Puts the server together; reads like a table of contents.
final class Wiring {
  private static final Duration HEALTH_EVERY = Duration.ofSeconds(1);
  private static final long START_SECONDS = 30;
  private static final long STOP_SECONDS = 5;

  private Wiring() {}

  /// Starts everything that needs the engines and returns once requests are accepted.
  ///
  /// @throws RuntimeException with a message for the operator when it cannot start; then nothing is
  ///   left running
  static Running start(FairgateConfig config, EngineAddresses engines, Seams seams) {
    Closing closing = new Closing();
    try {
      return start(config, engines, seams, closing);
    } catch (TimeoutException e) {
      closing.close();
      throw new StartFailed("an engine does not answer");
    } catch (RuntimeException e) {
      closing.close();
      throw e;
    }
  }

  private static Metrics metrics() {
    Metrics metrics = new Metrics();
    metrics.watchJvm();
    return metrics;
  }

  private static Running start(
      FairgateConfig config, EngineAddresses engines, Seams seams, Closing closing)
      throws TimeoutException {
    Vertx vertx = Loops.vertx();
    closing.add(() -> vertx.close().await(STOP_SECONDS, TimeUnit.SECONDS));
    Metrics metrics = metrics();
    Health health = new Health();
    String node = NodeId.of(config.dataDir(), seams.ids());
    Stores stores = Stores.open(vertx, engines, KafkaWiring.log(config, node), closing);
    stores.report(health);
    KeyRing keys = MasterSecret.ring(config.keys().master());
    AuditParts events =
        new AuditParts(stores.postgres(), keys, seams.clock(), seams.ids(), metrics, node);
    AuditLog audit = closing.add(Stores.audit(config, events, health));
    Features.Ground ground =
        new Features.Ground(vertx, metrics, keys, stores, seams, audit, closing);
    Features features = Features.wire(config, ground);
    OutboxRelay relay =
        closing.add(
            stores.relay(
                () -> Features.products(features.catalog()),
                features.webhooks()::sink,
                seams.clock(),
                node));
    stores.report(relay, health, metrics);
    features.report(health);
    health.start(vertx, HEALTH_EVERY).await(START_SECONDS, TimeUnit.SECONDS);
    Map<String, String> facts = Demo.facts(config, features.catalog(), features.sale().sync());

    features.start();
    relay.start();
    List<Route> routes = routes(config, features, ObserveRoutes.of(metrics, health), seams.clock());
    HttpServer http =
        HttpServer.start(
            vertx,
            Settings.http(config.server()),
            routes,
            new HttpSeams(seams.ids(), keys, metrics, features.guard(), audit));
    return new RunningServer(http, health, facts, routes, closing);
  }

  private static List<Route> routes(
      FairgateConfig config, Features features, List<Route> observe, Clock clock) {
    PageSettings settings = Settings.pages(config.gate().challenge());
    ShopPages pages =
        new ShopPages(
            PageWiring.sources(features.queue(), features.sale(), features.payment()),
            new PageWiring(
                features.queue(),
                features.sale(),
                features.payment(),
                features.account()::accountOf),
            settings,
            clock);
    AccountPages accountPages =
        new AccountPages(pages, features.account().service(), settings, clock);
    return Stream.of(
            observe,
            new ApiDocsPage().routes(),
            features.gate().routes(),
            features.account().routes(),
            features.identity().map(IdentityFeature::routes).orElse(List.of()),
            features.queue().routes(),
            features.sale().routes(),
            features.payment().routes(),
            features.redeem().routes(),
            features.line().routes(),
            features.operator().routes(),
            accountPages.routes(),
            features.links().routes(),
            new LinkPages(features.account().service(), settings, clock).routes(),
            new ConsolePage(settings, clock).routes(),
            pages.routes(),
            new ClaimPages(RedeemWiring.desk(features.redeem()), pages, settings, clock).routes())
        .flatMap(List::stream)
        .toList();
  }
}
