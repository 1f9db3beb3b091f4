package fairgate.gate.signal;

import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.kernel.ProductId;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.Optional;

/// The sale of the request, as this node knows it: the identity that it counts, whether it is on,
/// and the time to its opening. Rules use it as a condition, such as for joins in the first seconds
/// of a sale.
///
/// False positives: none by itself, because it is the same for all buyers of a sale. A product that
/// another node created a moment ago, or a redemption product, has no features here.
public final class SaleSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature IDENTITY = SCHEMA.feature("identity_kind");
  private static final Feature OPEN = SCHEMA.feature("sale_open");
  private static final Feature SECONDS = SCHEMA.feature("seconds_to_opening");

  private final Sales sales;
  private final Clock clock;

  SaleSource(Sales sales, Clock clock) {
    this.sales = sales;
    this.clock = clock;
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    if (ProductId.isValid(request.sale())) {
      sales.find(new ProductId(request.sale())).ifPresent(sale -> set(sale, features));
    }
    return DONE;
  }

  private void set(Sales.Sale sale, Features.Builder features) {
    features.set(IDENTITY, sale.identity());
    features.set(OPEN, sale.open());
    if (sale.opensAt() != 0) {
      features.set(SECONDS, Math.floorDiv(sale.opensAt() - clock.millis(), 1_000L));
    }
  }

  /// The sales that this node knows. Implemented where the catalog is. Never blocks.
  @FunctionalInterface
  public interface Sales {
    /// The sale now; empty when this node does not know it.
    Optional<Sale> find(ProductId product);

    /// A sale at one moment.
    ///
    /// @param identity that its limits count: device, account, phone or person
    /// @param opensAt ms; 0 when no time is set
    /// @param requiresDeviceKey whether joins and purchases must prove a device key
    record Sale(String identity, boolean open, long opensAt, boolean requiresDeviceKey) {}
  }
}
