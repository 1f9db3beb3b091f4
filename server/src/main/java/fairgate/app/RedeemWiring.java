package fairgate.app;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.redeem.RedeemConfig;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.orders.KnownOrder;
import fairgate.redeem.orders.OrderState;
import fairgate.redeem.orders.PlatformShapes;
import fairgate.redeem.product.RedeemProducts.SaleProducts.Sold;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Where redeeming meets the sale: what was bought and paid here can be redeemed here.
final class RedeemWiring {
  private static final int LEDGER_SECONDS = 5;

  private RedeemWiring() {}

  static RedeemFeature wire(RedeemConfig config, Catalog catalog, Features.Ground ground) {
    Stores stores = ground.stores();
    return RedeemFeature.wire(
        config,
        new RedeemFeature.Stores(
            stores.redis(),
            stores.postgres(),
            id -> own(stores.ledger(), id),
            id -> sold(catalog, id)),
        new RedeemFeature.Seams(
            ground.vertx(),
            ground.seams().clock(),
            ground.seams().ids(),
            ground.keys(),
            ground.metrics()));
  }

  private static Optional<KnownOrder> own(Ledger ledger, String id) {
    if (!OrderId.isValid(id)) {
      return Optional.empty();
    }
    try {
      return ledger
          .find(new OrderId(id))
          .await(LEDGER_SECONDS, TimeUnit.SECONDS)
          .map(RedeemWiring::known);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the ledger is too slow", Duration.ofSeconds(1));
    }
  }

  private static KnownOrder known(LedgerOrder order) {
    return new KnownOrder(
        PlatformShapes.OWN,
        order.id().value(),
        order.id().product().value(),
        OrderState.of(order.standing().status().word()),
        null);
  }

  private static Optional<Sold> sold(Catalog catalog, String id) {
    return ProductId.isValid(id)
        ? catalog.find(new ProductId(id)).map(Product::details).map(RedeemWiring::sold)
        : Optional.empty();
  }

  private static Sold sold(Product.Details details) {
    return new Sold(details.name(), details.durationDays());
  }
}
