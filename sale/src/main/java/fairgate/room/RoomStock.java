package fairgate.room;

import fairgate.kernel.ProductId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The stock of what a room leads to, and the units that one visitor takes on average.
///
/// Operators and foreign shops report it. Of a sale of the own shop it is known. The average is
/// told by the operator, or learned: of the visitors that have entered since the first report, and
/// the units that the stock has become fewer by. Until 20 have entered, every visitor counts as
/// taking one unit.
public final class RoomStock {
  private static final Logger LOG = LoggerFactory.getLogger(RoomStock.class);

  private final RedisClient redis;
  private final ReportStockScript script;
  private final Function<ProductId, Future<OptionalLong>> saleStock;

  /// @param saleStock the units of a sale that are left, with planned ones; empty for an unknown
  ///   sale
  RoomStock(RedisClient redis, Function<ProductId, Future<OptionalLong>> saleStock) {
    this.redis = redis;
    this.script = new ReportStockScript(redis);
    this.saleStock = saleStock;
  }

  /// What a room knows of its stock.
  ///
  /// @param share units that one visitor takes on average
  public record Known(long left, double share) {}

  /// Reports the units left.
  ///
  /// @param told units that one visitor takes on average; empty to learn it
  public Future<Known> report(String room, long left, OptionalDouble told) {
    return script.run(new RoomStateKeys(room), left, told).map(share -> new Known(left, share));
  }

  /// Reports the stock of the sale behind a room, if there is one. The node that has made the
  /// room's head calls it.
  void follow(Room room) {
    ProductId sale = room.sale();
    if (sale != null) {
      saleStock
          .apply(sale)
          .compose(
              left ->
                  left.isEmpty()
                      ? Future.succeededFuture()
                      : report(room.id(), left.getAsLong(), OptionalDouble.empty()))
          .onFailure(
              e -> LOG.debug("The stock of a sale could not be read; room={}", room.id(), e));
    }
  }

  /// Forgets the stock: heads no longer tell it.
  public Future<Void> forget(String room) {
    return redis
        .send(
            "HDEL",
            new RoomStateKeys(room).state(),
            "stock_left",
            "stock_sold",
            "stock_since",
            "stock_share")
        .mapEmpty();
  }

  /// Calls `report_stock.lua`: the units left, from which heads forecast the end of the stock.
  record ReportStockScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(ReportStockScript.class, "report_stock.lua");

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
}
