package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.gate.ban.BanService;
import fairgate.gate.ban.Networks;
import fairgate.gate.signal.PlaceSource.Places;
import fairgate.gate.signal.SaleSource.Sales;
import fairgate.gate.signal.SignalFeature;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.queue.PlaceEvidenceScript;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;

/// Wires the signals to places and policies.
final class SignalWiring {
  private SignalWiring() {}

  static SignalFeature signals(
      FairgateConfig config,
      Networks networks,
      BanService bans,
      Catalog catalog,
      FeatureSet.ServerContext context) {
    SaleKeys.Style style = context.stores().style();
    return context
        .closer()
        .add(
            SignalFeature.wire(
                Settings.signals(config.gate().signals()),
                new SignalFeature.Dependencies(
                    context.vertx(),
                    context.stores().redis(),
                    context.keys(),
                    context.clock(),
                    context.metrics(),
                    networks,
                    new StoredPlaces(new PlaceEvidenceScript(context.stores().redis(), style)),
                    caller -> bans.allows(caller.address(), () -> caller),
                    bans::isExemptAfterAppeal,
                    product -> catalog.find(product).map(sale -> sale(sale, context.clock())),
                    product -> SaleKeys.of(new ProductId(product), style).eventPrefix())));
  }

  private static Sales.Sale sale(Product product, Clock clock) {
    SalePolicy policy = product.policy();
    Instant opens = policy.schedule().opensAt();
    return new Sales.Sale(
        policy.fairness().identity().word(),
        product.isOpen(clock.instant()),
        opens == null ? 0 : opens.toEpochMilli(),
        policy.fairness().deviceKeyRequired());
  }

  private record StoredPlaces(PlaceEvidenceScript script) implements Places {
    @Override
    public Future<Void> remember(ProductId product, SessionId session, String keyHash) {
      return script.remember(product, session, keyHash).mapEmpty();
    }

    @Override
    public Future<Evidence> of(ProductId product, SessionId session) {
      return script
          .of(product, session)
          .map(place -> new Evidence(place.keyHash(), place.sinceJoin(), place.sinceTurn()));
    }
  }
}
