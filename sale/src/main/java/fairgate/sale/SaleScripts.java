package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.RedisClient;

/// The scripts of a sale that no buyer triggers.
record SaleScripts(
    RedisClient redis,
    SaleKeys.Style style,
    ConfigureScript configure,
    StockBatchScript stockBatch,
    LiveScript live) {
  static SaleScripts on(RedisClient redis, SaleKeys.Style style) {
    return new SaleScripts(
        redis,
        style,
        new ConfigureScript(redis),
        new StockBatchScript(redis),
        new LiveScript(redis));
  }

  /// The Redis node of the sale.
  String node(ProductId product) {
    return redis.node(keys(product).sale());
  }

  SaleKeys keys(ProductId product) {
    return SaleKeys.of(product, style);
  }
}
