package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.line.LineFeature;
import fairgate.platform.lock.ProcessingLock;
import fairgate.queue.QueueFeature;
import fairgate.redeem.RedeemFeature;
import fairgate.sale.SaleFeature;

/// Puts the LINE channel between the features it talks about.
final class LineWiring {
  private LineWiring() {}

  static LineFeature wire(
      FairgateConfig config,
      Features.Ground ground,
      QueueFeature queue,
      SaleFeature sale,
      RedeemFeature redeem) {
    ProcessingLock lock =
        new ProcessingLock(
            ground.vertx(),
            ground.stores().redis(),
            ground.seams().ids(),
            ground.metrics(),
            Settings.lock(config.channels().processingLock()));
    LineFeature line =
        LineFeature.wire(
            Settings.line(config),
            new LineFeature.Parts(
                ground.vertx(),
                ground.stores().redis(),
                ground.keys(),
                ground.seams().ids(),
                ground.seams().clock(),
                ground.metrics(),
                lock,
                queue.service(),
                sale.products(),
                new LineClaimDesk(redeem)));
    queue.loop().onReady(line::ready);
    queue.joins().add(line::joined);
    return ground.closing().add(line);
  }
}
