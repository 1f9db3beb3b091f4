package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.PolicyJson;
import fairgate.catalog.PolicyOutcome;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.sale.SaleSync;
import java.util.LinkedHashMap;
import java.util.Map;

/// The demo sale that `up` creates in empty data: sneakers, open, with a payment step.
final class Demo {
  private static final ProductId ID = new ProductId("1");
  private static final String POLICY =
      """
      {"preset": "flash", "max_quantity": 2, "max_per_user": null, "max_per_device": null}
      """;

  private Demo() {}

  /// Creates the demo sale if the catalog is empty. Returns the facts to print for the operator.
  static Map<String, String> facts(FairgateConfig config, Catalog catalog, SaleSync sync) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("shop", "/");
    if (config.server().demo() && catalog.all().isEmpty()) {
      create(catalog, sync);
    }
    if (config.server().demo() && catalog.find(ID).isPresent()) {
      facts.put("demo sale", "/p/" + ID.value());
    }
    return facts;
  }

  private static void create(Catalog catalog, SaleSync sync) {
    if (!(PolicyJson.read(POLICY) instanceof PolicyOutcome.Valid(var policy))) {
      throw new IllegalStateException("the policy of the demo sale is invalid");
    }
    Product.Details details =
        new Product.Details(
            "限量球鞋 A", "/assets/demo-shoe.svg", new Money(999_900, "TWD"), 100, null);
    if (catalog.create(ID, details, policy, "demo") instanceof Catalog.Outcome.Done
        && catalog.step(ID, ProductState.Step.OPEN, "demo")
            instanceof Catalog.Outcome.Done(Product product)) {
      sync.sync(product);
    }
  }
}
