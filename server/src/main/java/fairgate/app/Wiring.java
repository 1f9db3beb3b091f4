package fairgate.app;

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
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Puts the features together; reads like a table of contents.
final class Wiring {
  private Wiring() {}

  /// Starts everything that needs the engines and returns once requests are accepted.
  ///
  /// @throws RuntimeException with a message for the operator when it cannot start; then nothing is
  ///   left running
  static Running start(FairgateConfig config, EngineAddresses engines, Seams seams) {
    Closing closing = new Closing();
    try {
      return start(config, engines, seams, closing);
    } catch (RuntimeException e) {
      closing.close();
      throw e;
    }
  }

  private static Running start(
      FairgateConfig config, EngineAddresses engines, Seams seams, Closing closing) {
    Vertx vertx = closing.last(Loops.vertx());
    Metrics metrics = new Metrics();
    metrics.watchJvm();
    Health health = new Health();
    KeyRing keys = MasterSecret.ring(config.keys().master());
    Stores stores = Stores.open(vertx, engines, closing);
    stores.report(health, metrics);

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
                    stores.redis(), SaleConfig.defaults().keyStyle(), stores.refunds(), products),
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
                    stores.ledger(),
                    payment.provider()::payUrl)));
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
                ApiRoutes.of(),
                gate.routes(),
                queue.routes(),
                sale.routes(),
                payment.routes(),
                operator.routes(),
                new ShopPages(
                        Pages.sources(queue.service(), sale, payment),
                        Pages.actions(queue, sale, payment),
                        Settings.pages(config, gate),
                        seams.clock())
                    .routes())
            .flatMap(List::stream)
            .toList();

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
    closing.first(http, health);
    return new RunningServer(http.port(), Demo.facts(config, catalog, sale), closing);
  }
}
