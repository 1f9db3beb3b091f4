package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.gate.GateFeature;
import fairgate.gate.GateSeams;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.operator.OperatorFeature;
import fairgate.platform.observe.Metrics;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.Optional;

/// Every feature there is, wired by hand from the few things all of them stand on.
record Features(
    Catalog catalog,
    GateFeature gate,
    AccountFeature account,
    Optional<IdentityFeature> identity,
    QueueFeature queue,
    PaymentFeature payment,
    SaleFeature sale,
    OperatorFeature operator) {

  /// What the features stand on.
  record Ground(
      Vertx vertx, Metrics metrics, KeyRing keys, Stores stores, Seams seams, Closing closing) {}

  static Features wire(FairgateConfig config, Ground ground) {
    Catalog catalog =
        ground.closing().add(Catalog.open(ground.vertx(), ground.stores().postgres()));
    GateFeature gate = gate(config, ground);
    AccountFeature account = account(config, ground);
    QueueFeature queue = queue(gate, account, catalog, ground);
    PaymentFeature payment = payment(config, account, catalog, ground);
    SaleFeature sale = sale(payment, catalog, ground);
    OperatorFeature operator =
        OperatorFeature.wire(
            config.keys().operatorToken().expose(),
            new OperatorFeature.Parts(
                catalog, sale.sync(), sale.service(), ground.stores().ledger()));

    // Siblings meet here: whoever leaves makes room, and units that come call the next one.
    sale.service().onDeparture(queue.loop()::soon);
    sale.sync().onStock(queue.loop()::soon);
    return new Features(
        catalog,
        gate,
        account,
        identity(config, account, catalog, ground),
        queue,
        payment,
        sale,
        operator);
  }

  /// The products there are now.
  static Collection<ProductId> products(Catalog catalog) {
    return catalog.all().stream().map(Product::id).toList();
  }

  /// Sets going what runs by itself.
  void start() {
    sale.start();
    queue.loop().start();
    payment.start();
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
                    catalog,
                    ground.stores().ledger().view(),
                    payment::payUrl)));
  }
}
