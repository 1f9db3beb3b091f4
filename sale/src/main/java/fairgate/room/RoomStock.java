package fairgate.room;

import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.Locale;
import java.util.OptionalDouble;

/// The stock that a room is told, and the units that one visitor takes on average.
///
/// The average is told by the operator, or learned: of the visitors that have entered since the
/// first report, and the units that the stock has become fewer by. Until 20 have entered, every
/// visitor counts as taking one unit.
public final class RoomStock {
  private static final double LEAST_SHARE = 0.01;
  private static final double MOST_SHARE = 100;
  private static final long ENOUGH = 20;

  private final RedisClient redis;

  RoomStock(RedisClient redis) {
    this.redis = redis;
  }

  /// What a room knows of its stock.
  ///
  /// @param share units that one visitor takes on average
  public record Known(long left, double share) {}

  /// Reports the units left.
  ///
  /// @param told units that one visitor takes on average; empty to learn it
  public Future<Known> report(String room, long left, OptionalDouble told) {
    String key = new RoomStateKeys(room).state();
    return redis
        .send("HMGET", key, "stock_left", "stock_sold", "stock_since", "entered", "stock_share")
        .compose(
            had -> {
              long entered = number(had.at(3), 0);
              boolean first = had.at(0).isNil();
              long since = first ? entered : number(had.at(2), entered);
              long sold =
                  first ? 0 : number(had.at(1), 0) + Math.max(0, number(had.at(0), left) - left);
              double share = told.orElseGet(() -> learned(sold, entered - since));
              return redis
                  .send(
                      "HSET",
                      key,
                      "stock_left",
                      Long.toString(left),
                      "stock_sold",
                      Long.toString(sold),
                      "stock_since",
                      Long.toString(since),
                      "stock_share",
                      String.format(Locale.ROOT, "%.4f", share))
                  .map(_ -> new Known(left, share));
            });
  }

  private static double learned(long sold, long visitors) {
    return visitors < ENOUGH ? 1 : Math.clamp((double) sold / visitors, LEAST_SHARE, MOST_SHARE);
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

  private static long number(RedisReply reply, long otherwise) {
    return reply.isNil() ? otherwise : reply.number();
  }
}
