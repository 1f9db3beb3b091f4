package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.queue.JoinGate;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.room.RoomConfig;
import fairgate.room.RoomFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;
import io.vertx.core.Future;

/// Wires the queue, waiting rooms, purchases, payment and webhooks.
final class SaleWiring {
  private SaleWiring() {}

  static QueueFeature queue(
      FairgateConfig config,
      GateFeature gate,
      BanService bans,
      Buyers buyers,
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
                new JoinChecks(gate, bans, config.gate().limits().on()),
                buyers,
                context.audit(),
                live::ids,
                id -> catalog.find(id).isPresent()));
    context.closer().add(queue.loop());
    return queue;
  }

  static PaymentFeature payment(
      FairgateConfig config,
      Buyers buyers,
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
                    context.vertx(), context.clock(), context.ids(), context.metrics(), buyers)));
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

  static RoomFeature rooms(
      FairgateConfig config, GateFeature gate, BanService bans, Features.ServerContext context) {
    String baseUrl = config.signIn().baseUrl();
    return context
        .closer()
        .add(
            RoomFeature.wire(
                RoomConfig.defaults(),
                new RoomFeature.Dependencies(
                    context.vertx(),
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics(),
                    new JoinChecks(gate, bans, config.gate().limits().on()),
                    baseUrl.isEmpty() ? "fairgate" : baseUrl)));
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

  /// The gate's checks of a join.
  ///
  /// @param limited whether limits are on
  private record JoinChecks(GateFeature gate, BanService bans, boolean limited)
      implements JoinGate {
    @Override
    public Future<ChallengeResult> check(
        String token, ProductId product, String clientAddress, DeviceId device) {
      return gate.challenge().verify(token, ChallengeContext.join(product, clientAddress, device));
    }

    @Override
    public boolean countsNetworks(Caller caller) {
      return limited && !bans.allows(caller.address(), () -> caller);
    }
  }
}
