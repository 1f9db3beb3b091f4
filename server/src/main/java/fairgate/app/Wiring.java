package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.pages.ApiDocsPage;
import fairgate.app.pages.ShopPages;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.gate.GateFeature;
import fairgate.gate.GateSeams;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.operator.OperatorFeature;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpSeams;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.http.ObserveRoutes;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Puts the features together; reads like a table of contents.
final class Wiring {
  private static final Duration HEALTH_EVERY = Duration.ofSeconds(1);
  private static final long START_SECONDS = 10;

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

  private static Running start(
      FairgateConfig config, EngineAddresses engines, Seams seams, Closing closing)
      throws TimeoutException {
    Vertx vertx = Loops.vertx();
    closing.add(() -> vertx.close().await(5, TimeUnit.SECONDS));
    Metrics metrics = new Metrics();
    metrics.watchJvm();
    Health health = new Health();
    KeyRing keys = MasterSecret.ring(config.keys().master());
    Stores stores = Stores.open(vertx, engines, closing);
    stores.report(health);

    Catalog catalog = closing.add(Catalog.open(vertx, stores.postgres()));
    Supplier<Collection<ProductId>> products =
        () -> catalog.all().stream().map(Product::id).toList();

    GateFeature gate =
        closing.add(
            GateFeature.wire(
                Settings.gate(config.gate().challenge()),
                new GateSeams(vertx, seams.clock(), seams.ids(), keys, metrics)));
    QueueFeature queue =
        QueueFeature.wire(
            QueueConfig.defaults(),
            new QueueFeature.Parts(
                vertx,
                stores.redis(),
                keys,
                seams.ids(),
                metrics,
                (token, product, address, device) ->
                    gate.challenge().verify(token, ChallengeContext.join(product, address, device)),
                products));
    PaymentFeature payment =
        closing.add(
            PaymentFeature.wire(
                Settings.payment(config.payment()),
                new PaymentFeature.Stores(
                    stores.redis(), SaleConfig.defaults().keyStyle(), stores.postgres(), products),
                new PaymentFeature.Seams(vertx, seams.clock(), seams.ids(), metrics)));
    SaleFeature sale =
        closing.add(
            SaleFeature.wire(
                SaleConfig.defaults(),
                new SaleFeature.Parts(
                    stores.redis(),
                    keys,
                    seams.ids(),
                    catalog,
                    stores.ledger().view(),
                    payment::payUrl)));
    OutboxRelay relay = closing.add(stores.relay(products, seams.clock(), seams.ids().nonce()));
    OperatorFeature operator =
        OperatorFeature.wire(
            config.keys().operatorToken().expose(),
            new OperatorFeature.Parts(catalog, sale.sync(), sale.service(), stores.ledger()));

    // Siblings meet here: whoever leaves makes room, and units that come call the next one.
    sale.service().onDeparture(queue.loop()::soon);
    sale.sync().onStock(queue.loop()::soon);
    closing.add(queue.loop());

    List<Route> routes =
        Stream.of(
                ObserveRoutes.of(metrics, health),
                new ApiDocsPage().routes(),
                gate.routes(),
                queue.routes(),
                sale.routes(),
                payment.routes(),
                operator.routes(),
                new ShopPages(
                        PageWiring.sources(queue, sale, payment),
                        new PageWiring(queue, sale, payment),
                        Settings.pages(config.gate().challenge()),
                        seams.clock())
                    .routes())
            .flatMap(List::stream)
            .toList();

    Map<String, String> facts = Demo.facts(config, catalog, sale.sync());
    Stores.report(relay, health, metrics);
    health.start(vertx, HEALTH_EVERY).await(START_SECONDS, TimeUnit.SECONDS);
    sale.start();
    queue.loop().start();
    payment.start();
    relay.start();
    HttpServer http =
        HttpServer.start(
            vertx,
            HttpConfig.defaults().at(config.server().host(), config.server().port()),
            routes,
            new HttpSeams(seams.ids(), keys, metrics));
    return new RunningServer(http, health, facts, routes, closing);
  }
}
