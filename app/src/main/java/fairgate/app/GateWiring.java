package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.gate.GateFeature;
import fairgate.gate.GateFeature.GateDependencies;
import fairgate.gate.appeal.AppealFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.ban.BanService.BanDependencies;
import fairgate.gate.ban.Networks;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.limit.LimitFeature.Callers;
import fairgate.gate.limit.LimitFeature.Inspector;
import fairgate.gate.signature.SignatureFeature;
import fairgate.platform.redis.SingleUse;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Wires the gate: challenges, bans, appeals, signatures and limits.
final class GateWiring {
  private GateWiring() {}

  static GateFeature gate(FairgateConfig config, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            GateFeature.wire(
                Settings.gate(config.gate().challenge()),
                new GateDependencies(
                    context.vertx(),
                    context.clock(),
                    context.ids(),
                    context.keys(),
                    context.metrics(),
                    new SingleUse(context.stores().redis())::use)));
  }

  static Networks networks(FairgateConfig config, FeatureSet.ServerContext context) {
    return context.closer().add(Networks.open(Settings.networks(config.gate())));
  }

  static BanService bans(
      FairgateConfig config, Networks networks, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            BanService.open(
                Settings.bans(config),
                new BanDependencies(
                    context.vertx(),
                    context.stores().postgres(),
                    context.clock(),
                    context.keys(),
                    networks,
                    context.metrics())));
  }

  static AppealFeature appeals(Catalog catalog, BanService bans, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            AppealFeature.wire(
                new AppealFeature.Dependencies(
                    context.stores().postgres(),
                    bans,
                    context.clock(),
                    context.ids(),
                    context.keys(),
                    context.metrics()),
                new AppealFeature.Sales(
                    () -> openSales(catalog, context.clock().instant()),
                    id -> catalog.find(id).isPresent())));
  }

  /// The sales that are on, also those that are paused.
  private static List<AppealFeature.OpenSale> openSales(Catalog catalog, Instant now) {
    return catalog.all().stream()
        .filter(product -> product.isOn(now))
        .map(
            product -> {
              Instant closes = product.policy().schedule().closesAt();
              return new AppealFeature.OpenSale(
                  product.id(), closes == null ? 0 : closes.toEpochMilli());
            })
        .toList();
  }

  static SignatureFeature signatures(FairgateConfig config, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            SignatureFeature.wire(
                Settings.signatures(config.gate()),
                new SignatureFeature.Dependencies(
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics())));
  }

  /// Empty when limits are off; a request then costs nothing more.
  static Optional<LimitFeature> limits(
      FairgateConfig config,
      SignatureFeature signatures,
      Networks networks,
      Callers callers,
      FeatureSet.ServerContext context) {
    if (!config.gate().limits().on()) {
      return Optional.empty();
    }
    return Optional.of(
        LimitFeature.wire(
            Settings.limits(config.gate().limits()),
            new LimitFeature.Dependencies(
                context.vertx(),
                context.stores().redis(),
                context.metrics(),
                List.of(signatures.inspector(), networkOperators(config, networks)),
                callers)));
  }

  /// Adds the network operator of callers that count by address, if `limit.asn` is on.
  private static Inspector networkOperators(FairgateConfig config, Networks networks) {
    if (config.gate().limits().rules().getOrDefault("asn", "off").equals("off")) {
      return (_, facts) -> facts;
    }
    return (request, facts) -> {
      long asn = facts.ip() == null ? 0 : networks.asn(request.address());
      return facts.withAsn(asn == 0 ? null : Long.toString(asn));
    };
  }
}
