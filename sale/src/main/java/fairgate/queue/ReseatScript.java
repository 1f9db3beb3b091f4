package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `reseat.lua`, which moves a place that was seated behind others.
final class ReseatScript {
  private static final LuaScript SCRIPT = LuaScript.load(ReseatScript.class, "reseat.lua");

  private final RedisClient redis;

  ReseatScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The session; empty when it has no waiting place of this decision.
  Future<Optional<SessionId>> run(SaleKeys keys, String decision, Seat seat) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.waiting(), keys.devices()),
            List.of(decision, seat.wire(), keys.sessionPrefix()))
        .map(reply -> session(reply.text()));
  }

  private static Optional<SessionId> session(String reply) {
    return reply.equals("NONE")
        ? Optional.empty()
        : Optional.of(new SessionId(reply.substring(reply.indexOf(' ') + 1)));
  }
}
