package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.SaleKeys;
import fairgate.gate.ban.BanService;
import fairgate.gate.network.Networks;
import fairgate.gate.signal.PlaceKeys;
import fairgate.gate.signal.SignalFeature;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.queue.PlaceKeyScript;
import io.vertx.core.Future;
import java.util.Optional;

/// Wires the signals to places and policies.
final class SignalWiring {
  private SignalWiring() {}

  static SignalFeature signals(
      FairgateConfig config,
      Networks networks,
      BanService bans,
      Catalog catalog,
      Features.ServerContext context) {
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
                    new StoredPlaceKeys(new PlaceKeyScript(context.stores().redis(), style)),
                    caller -> bans.allows(caller.address(), () -> caller),
                    product -> requiresKey(catalog, product),
                    product -> SaleKeys.of(new ProductId(product), style).eventPrefix())));
  }

  private static boolean requiresKey(Catalog catalog, ProductId product) {
    return catalog
        .find(product)
        .filter(found -> found.policy().fairness().deviceKeyRequired())
        .isPresent();
  }

  private record StoredPlaceKeys(PlaceKeyScript script) implements PlaceKeys {
    @Override
    public Future<Void> remember(ProductId product, SessionId session, String keyHash) {
      return script.remember(product, session, keyHash).mapEmpty();
    }

    @Override
    public Future<Optional<String>> of(ProductId product, SessionId session) {
      return script.of(product, session);
    }
  }
}
