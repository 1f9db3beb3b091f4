package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// Calls `due.lua`, which takes orders whose payment deadline has passed.
final class DueScript {
  private static final LuaScript SCRIPT = LuaScript.load(DueScript.class, "due.lua");
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("due", List.of(), List.of());
  private static final int MAX_BATCH_SIZE = 64;

  private final ScriptBatcher batcher;

  DueScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  }

  /// The reply of the script.
  ///
  /// @param pending the number of all pending orders
  /// @param quietMillis time until the next deadline of the sale, also of orders to come
  /// @param orders those that were taken, earliest deadline first
  record Due(long pending, long quietMillis, List<OrderId> orders) {
    static Due parse(String reply) {
      String[] f = reply.split("\\|", -1);
      return new Due(
          Long.parseLong(f[0]),
          Long.parseLong(f[1]),
          Arrays.stream(f).skip(2).map(OrderId::new).toList());
    }
  }

  /// Takes at most `max` orders of each sale. No node gets one of them again before the lease ends.
  /// Sales share runs of the script.
  ///
  /// @param stop the time for which payment deadlines stand still from now on; zero when the
  ///   provider answers
  /// @return the replies, in the order of the sales
  List<Future<Due>> run(List<SaleKeys> sales, int max, Duration lease, Duration stop) {
    List<String> args =
        List.of(
            Integer.toString(max), Long.toString(lease.toMillis()), Long.toString(stop.toMillis()));
    List<ScriptBatcher.Item> items =
        sales.stream()
            .map(keys -> new ScriptBatcher.Item(List.of(keys.pending(), keys.sale()), args))
            .toList();
    return batcher.callAll(SHARED, items).stream().map(reply -> reply.map(Due::parse)).toList();
  }
}
