package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.gate.GateFeature;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;

/// Wires the queue, purchases, payment and webhooks.
final class SaleWiring {
  private SaleWiring() {}

  static QueueFeature queue(
      GateFeature gate,
      AccountFeature account,
      Catalog catalog,
      LiveSales live,
      Features.ServerContext context) {
    QueueFeature queue =
        QueueFeature.wire(
            QueueConfig.defaults().with(context.stores().style()),
            new QueueFeature.Dependencies(
                context.vertx(),
                context.stores().redis(),
                context.keys(),
                context.ids(),
                context.metrics(),
                (token, product, address, device) ->
                    gate.challenge().verify(token, ChallengeContext.join(product, address, device)),
                account::accountOf,
                context.audit(),
                live::ids,
                id -> catalog.find(id).isPresent()));
    context.closer().add(queue.loop());
    return queue;
  }

  static PaymentFeature payment(
      FairgateConfig config,
      AccountFeature account,
      Catalog catalog,
      LiveSales live,
      Features.ServerContext context) {
    return context
        .closer()
        .add(
            PaymentFeature.wire(
                Settings.payment(config.payment()),
                new PaymentFeature.Stores(
                    context.stores().redis(),
                    context.stores().style(),
                    context.stores().postgres(),
                    () -> Features.products(catalog),
                    live),
                new PaymentFeature.Ports(
                    context.vertx(),
                    context.clock(),
                    context.ids(),
                    context.metrics(),
                    account::accountOf)));
  }

  static SaleFeature sale(
      PaymentFeature payment, Catalog catalog, LiveSales live, Features.ServerContext context) {
    return context
        .closer()
        .add(
            SaleFeature.wire(
                SaleConfig.defaults().with(context.stores().style()),
                new SaleFeature.Dependencies(
                    context.stores().redis(),
                    context.keys(),
                    context.ids(),
                    context.audit(),
                    catalog,
                    live,
                    context.stores().ledger().view(),
                    payment::payUrl)));
  }

  static WebhookFeature webhooks(FairgateConfig config, Features.ServerContext context) {
    return context
        .closer()
        .add(
            WebhookFeature.wire(
                Settings.webhooks(config.channels().webhooks()),
                new WebhookFeature.Dependencies(
                    context.stores().postgres(), context.clock(), context.metrics())));
  }
}
