package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.line.LineFeature;
import fairgate.line.talk.LineClaims;
import fairgate.platform.lock.ProcessingLock;
import fairgate.queue.QueueFeature;
import fairgate.sale.SaleFeature;

/// Wires the LINE channel to the features that it uses.
final class LineWiring {
  private LineWiring() {}

  /// The processing lock of the LINE channel and the exports.
  static ProcessingLock lock(FairgateConfig config, FeatureSet.ServerContext context) {
    return new ProcessingLock(
        context.vertx(),
        context.stores().redis(),
        context.ids(),
        context.metrics(),
        Settings.lock(config.channels().processingLock()));
  }

  static LineFeature wire(
      FairgateConfig config,
      FeatureSet.ServerContext context,
      ProcessingLock lock,
      QueueFeature queue,
      SaleFeature sale,
      LineClaims claims) {
    LineFeature line =
        LineFeature.wire(
            Settings.line(config),
            new LineFeature.Dependencies(
                context.vertx(),
                context.stores().redis(),
                context.keys(),
                context.ids(),
                context.clock(),
                context.metrics(),
                lock,
                queue.service(),
                sale.products(),
                claims));
    queue.loop().onReady(line::ready);
    queue.joins().add(line::joined);
    queue.service().onRenewed(line::renewed);
    return context.closer().add(line);
  }
}
