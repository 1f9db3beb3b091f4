package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.gate.GateFeature;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;

/// The way of a buyer: queue, purchase, payment, and who is told of orders.
final class SaleWiring {
  private SaleWiring() {}

  static QueueFeature queue(
      GateFeature gate, AccountFeature account, Catalog catalog, Features.Ground ground) {
    QueueFeature queue =
        QueueFeature.wire(
            QueueConfig.defaults().with(ground.stores().style()),
            new QueueFeature.Parts(
                ground.vertx(),
                ground.stores().redis(),
                ground.keys(),
                ground.seams().ids(),
                ground.metrics(),
                (token, product, address, device) ->
                    gate.challenge().verify(token, ChallengeContext.join(product, address, device)),
                account::accountOf,
                ground.audit(),
                () -> Features.products(catalog)));
    ground.closing().add(queue.loop());
    return queue;
  }

  static PaymentFeature payment(
      FairgateConfig config, AccountFeature account, Catalog catalog, Features.Ground ground) {
    return ground
        .closing()
        .add(
            PaymentFeature.wire(
                Settings.payment(config.payment()),
                new PaymentFeature.Stores(
                    ground.stores().redis(),
                    ground.stores().style(),
                    ground.stores().postgres(),
                    () -> Features.products(catalog)),
                new PaymentFeature.Seams(
                    ground.vertx(),
                    ground.seams().clock(),
                    ground.seams().ids(),
                    ground.metrics(),
                    account::accountOf)));
  }

  static SaleFeature sale(PaymentFeature payment, Catalog catalog, Features.Ground ground) {
    return ground
        .closing()
        .add(
            SaleFeature.wire(
                SaleConfig.defaults().with(ground.stores().style()),
                new SaleFeature.Parts(
                    ground.stores().redis(),
                    ground.keys(),
                    ground.seams().ids(),
                    ground.audit(),
                    catalog,
                    ground.stores().ledger().view(),
                    payment::payUrl)));
  }

  static WebhookFeature webhooks(FairgateConfig config, Features.Ground ground) {
    return ground
        .closing()
        .add(
            WebhookFeature.wire(
                Settings.webhooks(config.channels().webhooks()),
                new WebhookFeature.Parts(
                    ground.vertx(),
                    ground.stores().postgres(),
                    ground.seams().clock(),
                    ground.metrics())));
  }
}
