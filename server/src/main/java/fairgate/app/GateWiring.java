package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.gate.GateFeature;
import fairgate.gate.GateSeams;
import fairgate.gate.ban.BanParts;
import fairgate.gate.ban.BanService;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.signature.SignatureFeature;
import java.util.List;
import java.util.Optional;

/// Who may pass: challenges, bans, signatures, limits.
final class GateWiring {
  private GateWiring() {}

  static GateFeature gate(FairgateConfig config, Features.Ground ground) {
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

  static BanService bans(FairgateConfig config, Features.Ground ground) {
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

  static SignatureFeature signatures(FairgateConfig config, Features.Ground ground) {
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

  /// None where limits are off: a request then costs nothing more.
  static Optional<LimitFeature> limits(
      FairgateConfig config, SignatureFeature signatures, Features.Ground ground) {
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
}
