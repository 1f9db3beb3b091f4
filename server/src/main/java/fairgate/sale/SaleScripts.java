package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.RedisClient;

/// The sale's edges that are not a buyer's own, each one script.
record SaleScripts(
    SaleKeys.Style style, ConfigureScript configure, StockBatchScript stockBatch, LiveScript live) {
  static SaleScripts on(RedisClient redis, SaleKeys.Style style) {
    return new SaleScripts(
        style, new ConfigureScript(redis), new StockBatchScript(redis), new LiveScript(redis));
  }

  SaleKeys keys(ProductId product) {
    return SaleKeys.of(product, style);
  }
}
