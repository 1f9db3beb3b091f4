package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// `rank.lua`: the positions of waiting sessions, many per run, for sessions whose product is
/// known. It costs a third of `status.lua`.
final class RankScript {
  private static final LuaScript SCRIPT = LuaScript.load(RankScript.class, "rank.lua");
  private static final int MOST_ITEMS = 128;

  private final ScriptBatcher batcher;

  RankScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
  }

  /// The keys and arguments that all calls for one product share.
  ScriptBatcher.Shared shared(SaleKeys keys) {
    return new ScriptBatcher.Shared(
        keys.product().value(),
        List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.stock()),
        List.of());
  }

  /// Empty when [QueueScripts.StatusScript] has to be asked.
  Future<Optional<Place.View>> run(
      ScriptBatcher.Shared shared, ProductId product, SessionId session) {
    return batcher.call(
        shared,
        new ScriptBatcher.Item(List.of(), List.of(session.value())),
        (text, rest) -> {
          if (text.isEmpty()) {
            return Optional.empty();
          }
          QueueState queue = rest.parsed(QueueState::parse);
          Place place = queue.waiting(session, product, text);
          return Optional.of(new Place.View(place, null, 0));
        });
  }

  /// The values that are equal for all waiting sessions of a product.
  private record QueueState(
      int waitingTotal,
      int activeTotal,
      double turnMs,
      String saleState,
      long stock,
      int before,
      long now,
      boolean tokenRequired,
      long epoch,
      long presenceMs,
      Duration sessionLife,
      long showUpMs,
      int listPeople) {
    static QueueState parse(String text) {
      String[] f = text.split("\\|", -1);
      return new QueueState(
          Integer.parseInt(f[0]),
          Integer.parseInt(f[1]),
          Double.parseDouble(f[2]),
          f[3],
          Long.parseLong(f[4]),
          Integer.parseInt(f[5]),
          Long.parseLong(f[6]),
          "1".equals(f[7]),
          Long.parseLong(f[8]),
          Long.parseLong(f[9]),
          Duration.ofMillis(Long.parseLong(f[10])),
          Long.parseLong(f[11]),
          Integer.parseInt(f[12]));
    }

    /// @param text the position and, if there are any, the people of the waiting list before it
    Place waiting(SessionId session, ProductId product, String text) {
      String[] f = text.split("\\|", -1);
      int position = Integer.parseInt(f[0]);
      int onList = f.length == 1 ? 0 : Integer.parseInt(f[1]);
      return new Place(
          session,
          product,
          Place.Status.WAITING,
          position,
          -1,
          waitingTotal,
          activeTotal,
          turnMs,
          0,
          0,
          saleState,
          stock,
          position < 0 ? -1 : position + before + onList,
          now,
          tokenRequired,
          "",
          "",
          "",
          epoch,
          presenceMs,
          waitingTotal + before + listPeople,
          sessionLife,
          false,
          showUpMs,
          0,
          -1,
          0,
          "",
          "");
    }
  }
}
