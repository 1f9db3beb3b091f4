package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;

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

  String node(ProductId product) {
    return redis.node(keys(product).sale());
  }

  SaleKeys keys(ProductId product) {
    return SaleKeys.of(product, style);
  }

  /// Calls `stock_batch.lua`, which puts a batch of units on sale, each once and in order.
  record StockBatchScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(StockBatchScript.class, "stock_batch.lua");

    enum Reply {
      APPLIED,
      ALREADY,
      GAP,
      NO_SALE
    }

    Future<Reply> run(SaleKeys keys, int batch, int quantity) {
      return redis
          .run(
              SCRIPT,
              List.of(keys.sale(), keys.stock(), keys.outbox()),
              List.of(Integer.toString(batch), Integer.toString(quantity)))
          .map(reply -> Reply.valueOf(reply.text()));
    }
  }

  /// Calls `live.lua`, which reads the counters of a sale at one instant. Calls that wait at the
  /// same time share a run.
  static final class LiveScript {
    private static final LuaScript SCRIPT = LuaScript.load(LiveScript.class, "live.lua");
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("live", List.of(), List.of());
    private static final int MAX_BATCH_SIZE = 64;

    private final ScriptBatcher batcher;

    LiveScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    Future<LiveCounters> run(SaleKeys keys) {
      return batcher.call(SHARED, item(keys)).map(LiveCounters::parse);
    }

    /// Reads sales together.
    ///
    /// @return their counters, in the order of the sales
    List<Future<LiveCounters>> run(List<SaleKeys> sales) {
      return batcher.callAll(SHARED, sales.stream().map(LiveScript::item).toList()).stream()
          .map(reply -> reply.map(LiveCounters::parse))
          .toList();
    }

    private static ScriptBatcher.Item item(SaleKeys keys) {
      return new ScriptBatcher.Item(
          List.of(
              keys.sale(),
              keys.stock(),
              keys.waiting(),
              keys.active(),
              keys.ready(),
              keys.purchases(),
              keys.pending(),
              keys.outbox()),
          List.of());
    }
  }
}
