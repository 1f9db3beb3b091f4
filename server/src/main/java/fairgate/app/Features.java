package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.gate.GateFeature;
import fairgate.gate.GateSeams;
import fairgate.gate.ban.BanParts;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.signature.SignatureFeature;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.line.LineFeature;
import fairgate.link.LinkFeature;
import fairgate.operator.OperatorFeature;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Guard;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.transfer.TransferFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.List;
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
    GateFeature gate = gate(config, ground);
    BanService bans = bans(config, ground);
    AccountFeature account = account(config, ground);
    QueueFeature queue = queue(gate, account, catalog, ground);
    PaymentFeature payment = payment(config, account, catalog, ground);
    SaleFeature sale = sale(payment, catalog, ground);
    SignatureFeature signatures = signatures(config, ground);
    RedeemFeature redeem = RedeemWiring.redeem(config, catalog, ground);
    TransferFeature transfer = RedeemWiring.transfer(config, redeem, ground);
    LinkFeature links = links(config, account, ground);
    OperatorFeature operator =
        OperatorFeature.wire(
            config.keys().operatorToken().expose(),
            new OperatorFeature.Parts(
                catalog,
                sale.sync(),
                sale.service(),
                ground.stores().ledger(),
                new OperatorFeature.Guarded(bans, signatures.keys()),
                new OperatorFeature.Codes(redeem, transfer),
                links.service(),
                ground.audit(),
                ground.seams().clock()));
    LineFeature line = LineWiring.wire(config, ground, queue, sale, redeem);

    meet(queue, sale);
    return new Features(
        catalog,
        gate,
        bans,
        signatures,
        limits(config, signatures, ground),
        account,
        identity(config, account, catalog, ground),
        queue,
        payment,
        sale,
        redeem,
        line,
        webhooks(config, ground),
        links,
        operator);
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

  private static GateFeature gate(FairgateConfig config, Ground ground) {
    return ground
        .closing()
        .add(
            GateFeature.wire(
                Settings.gate(config.gate().challenge()),
                new GateSeams(
                    ground.vertx(),
                    ground.seams().clock(),
                    ground.seams().ids(),
                    ground.keys(),
                    ground.metrics())));
  }

  private static BanService bans(FairgateConfig config, Ground ground) {
    return ground
        .closing()
        .add(
            BanService.open(
                Settings.bans(config),
                new BanParts(
                    ground.vertx(),
                    ground.stores().postgres(),
                    ground.seams().clock(),
                    ground.seams().ids(),
                    ground.keys(),
                    ground.metrics(),
                    ground.audit())));
  }

  private static SignatureFeature signatures(FairgateConfig config, Ground ground) {
    return ground
        .closing()
        .add(
            SignatureFeature.wire(
                Settings.signatures(config.gate()),
                new SignatureFeature.Parts(
                    ground.vertx(),
                    ground.stores().redis(),
                    ground.stores().postgres(),
                    ground.keys(),
                    ground.seams().ids(),
                    ground.seams().clock(),
                    ground.metrics())));
  }

  private static AccountFeature account(FairgateConfig config, Ground ground) {
    return ground
        .closing()
        .add(
            AccountFeature.wire(
                Settings.account(config.gate()),
                new AccountFeature.Parts(
                    ground.stores().redis(),
                    ground.stores().postgres(),
                    ground.keys(),
                    ground.seams().ids(),
                    ground.seams().clock(),
                    ground.metrics())));
  }

  /// None where limits are off: a request then costs nothing more.
  private static Optional<LimitFeature> limits(
      FairgateConfig config, SignatureFeature signatures, Ground ground) {
    if (!config.gate().limits().on()) {
      return Optional.empty();
    }
    LimitFeature limits =
        LimitFeature.wire(
            Settings.limits(config.gate().limits()),
            new LimitFeature.Parts(
                ground.vertx(),
                ground.stores().redis(),
                ground.seams().ids(),
                ground.metrics(),
                ground.seams().ids().nonce(),
                List.of(signatures.inspector())));
    return Optional.of(ground.closing().add(limits));
  }

  private static LinkFeature links(FairgateConfig config, AccountFeature account, Ground ground) {
    return ground
        .closing()
        .add(
            LinkFeature.wire(
                Settings.links(config.links(), config.gate().limits().on()),
                new LinkFeature.Parts(
                    ground.vertx(),
                    ground.stores().redis(),
                    ground.stores().postgres(),
                    ground.metrics()),
                new LinkFeature.Seams(
                    ground.seams().clock(),
                    ground.seams().ids(),
                    ground.keys(),
                    account::accountOf)));
  }

  private static Optional<IdentityFeature> identity(
      FairgateConfig config, AccountFeature account, Catalog catalog, Ground ground) {
    return Settings.identity(config)
        .map(
            verifier ->
                IdentityFeature.wire(
                    verifier,
                    new IdentityFeature.Parts(
                        account,
                        ground.stores().redis(),
                        ground.stores().postgres(),
                        ground.keys(),
                        ground.seams().clock(),
                        id -> catalog.find(id).isPresent())));
  }

  private static QueueFeature queue(
      GateFeature gate, AccountFeature account, Catalog catalog, Ground ground) {
    QueueFeature queue =
        QueueFeature.wire(
            QueueConfig.defaults(),
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
                () -> products(catalog)));
    ground.closing().add(queue.loop());
    return queue;
  }

  private static PaymentFeature payment(
      FairgateConfig config, AccountFeature account, Catalog catalog, Ground ground) {
    return ground
        .closing()
        .add(
            PaymentFeature.wire(
                Settings.payment(config.payment()),
                new PaymentFeature.Stores(
                    ground.stores().redis(),
                    SaleConfig.defaults().keyStyle(),
                    ground.stores().postgres(),
                    () -> products(catalog)),
                new PaymentFeature.Seams(
                    ground.vertx(),
                    ground.seams().clock(),
                    ground.seams().ids(),
                    ground.metrics(),
                    account::accountOf)));
  }

  private static WebhookFeature webhooks(FairgateConfig config, Ground ground) {
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

  private static SaleFeature sale(PaymentFeature payment, Catalog catalog, Ground ground) {
    return ground
        .closing()
        .add(
            SaleFeature.wire(
                SaleConfig.defaults(),
                new SaleFeature.Parts(
                    ground.stores().redis(),
                    ground.keys(),
                    ground.seams().ids(),
                    ground.audit(),
                    catalog,
                    ground.stores().ledger().view(),
                    payment::payUrl)));
  }
}
