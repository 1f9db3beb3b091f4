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

  /// One actor's requests one at a time: the channel's, and whoever else needs it.
  static ProcessingLock lock(FairgateConfig config, Features.Ground ground) {
    return new ProcessingLock(
        ground.vertx(),
        ground.stores().redis(),
        ground.seams().ids(),
        ground.metrics(),
        Settings.lock(config.channels().processingLock()));
  }

  static LineFeature wire(
      FairgateConfig config,
      Features.Ground ground,
      ProcessingLock lock,
      QueueFeature queue,
      SaleFeature sale,
      RedeemFeature redeem) {
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
