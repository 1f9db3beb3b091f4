package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls `reseat.lua`, which moves a place that was seated behind others.
final class ReseatScript {
  private static final LuaScript SCRIPT = LuaScript.load(ReseatScript.class, "reseat.lua");

  private final RedisClient redis;

  ReseatScript(RedisClient redis) {
    this.redis = redis;
  }

  /// A place of a decision.
  ///
  /// @param session null for [Seat.Move#NONE]
  record Reseated(Seat.Move move, @Nullable SessionId session) {}

  Future<Reseated> run(SaleKeys keys, String decision, Seat seat) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.waiting(), keys.devices()),
            List.of(decision, seat.wire(), keys.sessionPrefix()))
        .map(reply -> reseated(reply.text().split(" ", 2)));
  }

  private static Reseated reseated(String[] reply) {
    return new Reseated(
        Seat.Move.valueOf(reply[0]), reply.length == 1 ? null : new SessionId(reply[1]));
  }
}
