package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/// Calls `report_stock.lua`: the units left, from which heads forecast the end of the stock.
final class ReportStockScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(ReportStockScript.class, "report_stock.lua");

  private final RedisClient redis;

  ReportStockScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Reports the units left.
  ///
  /// @param told units that one visitor takes on average; empty to learn it
  /// @return the units that one visitor takes on average
  Future<Double> run(RoomStateKeys keys, long left, OptionalDouble told) {
    String share = told.isEmpty() ? "" : String.format(Locale.ROOT, "%.4f", told.getAsDouble());
    return redis
        .run(SCRIPT, List.of(keys.state()), List.of(Long.toString(left), share))
        .map(reply -> Double.parseDouble(reply.text()));
  }
}
