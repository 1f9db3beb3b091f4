package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.app.pages.ClaimPages;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.redeem.RedeemConfig;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.RedeemProduct;
import fairgate.redeem.RedeemProducts;
import fairgate.redeem.RedeemProducts.SaleProducts.Sold;
import fairgate.redeem.orders.KnownOrder;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.transfer.ImportService;
import fairgate.redeem.transfer.TransferFeature;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.OrderBook;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Connects redemption to the sale: orders paid here can be redeemed here.
final class RedeemWiring {
  private static final int ENGINE_SECONDS = 5;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private RedeemWiring() {}

  static RedeemFeature redeem(
      FairgateConfig config, Catalog catalog, FeatureSet.ServerContext context) {
    return context.closer().add(wire(config, catalog, context));
  }

  private static RedeemFeature wire(
      FairgateConfig config, Catalog catalog, FeatureSet.ServerContext context) {
    Stores stores = context.stores();
    OrderBook book =
        new OrderBook(stores.redis(), stores.style(), Settings.payment(config.payment()).late());
    return RedeemFeature.wire(
        Settings.redeem(config),
        new RedeemFeature.Stores(
            stores.redis(),
            stores.postgres(),
            id -> own(stores.ledger(), book, id),
            id -> sold(catalog, id)),
        new RedeemFeature.Ports(
            context.vertx(),
            context.clock(),
            context.ids(),
            context.keys(),
            context.metrics(),
            context.audit()));
  }

  /// Imports of orders and exports of codes.
  static TransferFeature transfer(
      FairgateConfig config, RedeemFeature redeem, FeatureSet.ServerContext context) {
    return context.closer().add(wire(config.dataDir(), redeem, context));
  }

  private static TransferFeature wire(
      Path data, RedeemFeature redeem, FeatureSet.ServerContext context) {
    return TransferFeature.wire(
        TransferFeature.Config.in(data.resolve("imports")),
        new TransferFeature.Dependencies(
            context.stores().postgres(),
            redeem.vault(),
            new ImportService.Rules(
                redeem.config().shapes(), id -> redeem.products().find(id).isPresent()),
            context.ids()));
  }

  /// The services of the claim page.
  static ClaimPages.Services claimPageServices(RedeemFeature redeem) {
    RedeemConfig config = redeem.config();
    RedeemProducts products = redeem.products();
    return new ClaimPages.Services(
        redeem.service()::claim,
        new ClaimPages.Services.Products() {
          @Override
          public List<ClaimPages.Services.Choice> all() {
            return products.all().stream().map(RedeemWiring::choice).toList();
          }

          @Override
          public Optional<ClaimPages.Services.Choice> find(String id) {
            return products.find(id).map(RedeemWiring::choice);
          }
        },
        config.shapes(),
        config.mask());
  }

  private static ClaimPages.Services.Choice choice(RedeemProduct product) {
    return new ClaimPages.Services.Choice(product.id(), product.name());
  }

  /// Finds an order in the ledger. When Redis has the payment and the ledger does not have it yet,
  /// this throws ServiceUnavailable, so that the buyer retries.
  private static Optional<KnownOrder> own(Ledger ledger, OrderBook book, String id) {
    if (!OrderId.isValid(id)) {
      return Optional.empty();
    }
    OrderId order = new OrderId(id);
    try {
      Optional<KnownOrder> known =
          ledger
              .find(order)
              .await(ENGINE_SECONDS, TimeUnit.SECONDS)
              .map(RedeemWiring::known)
              .filter(found -> found.state() != KnownOrder.State.UNPAID);
      if (known.isPresent()) {
        return known;
      }
      Optional<Order> live = book.find(order).await(ENGINE_SECONDS, TimeUnit.SECONDS);
      if (live.isPresent() && live.get().status() == OrderStatus.PAID) {
        throw new ServiceUnavailable("the ledger does not have the payment yet", RETRY_AFTER);
      }
      return ledger.find(order).await(ENGINE_SECONDS, TimeUnit.SECONDS).map(RedeemWiring::known);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("a store did not answer in time", RETRY_AFTER);
    }
  }

  private static KnownOrder known(LedgerOrder order) {
    return new KnownOrder(
        OrderNumberFormats.OWN,
        order.id().value(),
        order.id().product().value(),
        KnownOrder.State.of(order.standing().status().wire()),
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
