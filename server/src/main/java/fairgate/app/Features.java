package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.signature.SignatureFeature;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.line.LineFeature;
import fairgate.link.LinkFeature;
import fairgate.operator.OperatorFeature;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Guard;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.queue.QueueFeature;
import fairgate.redeem.RedeemFeature;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.Optional;

/// Every feature there is, wired by hand from the few things all of them stand on.
record Features(
    Catalog catalog,
    GateFeature gate,
    BanService bans,
    SignatureFeature signatures,
    Optional<LimitFeature> limits,
    AccountFeature account,
    Optional<IdentityFeature> identity,
    QueueFeature queue,
    PaymentFeature payment,
    SaleFeature sale,
    RedeemFeature redeem,
    LineFeature line,
    WebhookFeature webhooks,
    LinkFeature links,
    OperatorFeature operator) {

  /// What the features stand on.
  record Ground(
      Vertx vertx,
      Metrics metrics,
      KeyRing keys,
      Stores stores,
      Seams seams,
      AuditLog audit,
      Closing closing) {}

  static Features wire(FairgateConfig config, Ground ground) {
    Catalog catalog =
        ground.closing().add(Catalog.open(ground.vertx(), ground.stores().postgres()));
    GateFeature gate = GateWiring.gate(config, ground);
    BanService bans = GateWiring.bans(config, ground);
    SignatureFeature signatures = GateWiring.signatures(config, ground);
    AccountFeature account = AccountWiring.account(config, ground);
    LinkFeature links = AccountWiring.links(config, account, ground);
    QueueFeature queue = SaleWiring.queue(gate, account, catalog, ground);
    PaymentFeature payment = SaleWiring.payment(config, account, catalog, ground);
    SaleFeature sale = SaleWiring.sale(payment, catalog, ground);
    RedeemFeature redeem = RedeemWiring.redeem(config, catalog, ground);
    var guarded = new OperatorFeature.Guarded(bans, signatures.keys());
    ProcessingLock lock = LineWiring.lock(config, ground);
    var codes =
        new OperatorFeature.Codes(redeem, RedeemWiring.transfer(config, redeem, ground), lock);
    meet(queue, sale);
    return new Features(
        catalog,
        gate,
        bans,
        signatures,
        GateWiring.limits(config, signatures, ground),
        account,
        AccountWiring.identity(config, account, catalog, ground),
        queue,
        payment,
        sale,
        redeem,
        LineWiring.wire(config, ground, lock, queue, sale, redeem),
        SaleWiring.webhooks(config, ground),
        links,
        operator(config, ground, catalog, sale, guarded, codes, links));
  }

  private static OperatorFeature operator(
      FairgateConfig config,
      Ground ground,
      Catalog catalog,
      SaleFeature sale,
      OperatorFeature.Guarded guarded,
      OperatorFeature.Codes codes,
      LinkFeature links) {
    return OperatorFeature.wire(
        config.keys().operatorToken().expose(),
        new OperatorFeature.Parts(
            catalog,
            sale.sync(),
            sale.service(),
            ground.stores().ledger(),
            guarded,
            codes,
            links.service(),
            ground.audit(),
            ground.seams().clock()));
  }

  /// Siblings meet here: whoever leaves makes room, and units that come call the next one.
  private static void meet(QueueFeature queue, SaleFeature sale) {
    sale.service().onDeparture(queue.loop()::soon);
    sale.sync().onStock(queue.loop()::soon);
  }

  /// Who is asked before a request is handled: who is banned, then who has signed, then how often.
  Guard guard() {
    return bans.guard(signatures.guard(limits.map(LimitFeature::guard).orElse(null)));
  }

  /// The products there are now.
  static Collection<ProductId> products(Catalog catalog) {
    return catalog.all().stream().map(Product::id).toList();
  }

  /// Lets operators see how the features do.
  void report(Health health) {
    health.register("bans", () -> Future.succeededFuture(bans.status()));
    health.register("crowdsec", () -> Future.succeededFuture(bans.feedStatus()));
    health.register("challenge", () -> Future.succeededFuture(gate.health()));
    limits.ifPresent(one -> one.report(health));
    health.register("processing_lock", () -> Future.succeededFuture(line.lockStatus()));
  }

  /// Sets going what runs by itself.
  void start() {
    sale.start();
    queue.loop().start();
    payment.start();
    redeem.start();
    line.start();
    webhooks.start();
    links.start();
  }
}
