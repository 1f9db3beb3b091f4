package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/// `admit.lua`: people moved forward.
final class AdmitScript {
  private static final LuaScript SCRIPT = LuaScript.load(AdmitScript.class, "admit.lua");
  private static final int HEAD = 5;

  private final RedisClient redis;

  AdmitScript(RedisClient redis) {
    this.redis = redis;
  }

  /// One pass.
  ///
  /// @param saleState the state of the sale at that instant
  /// @param admitted from waiting into active
  /// @param passedOver waiting places dropped because nobody was seen there for too long
  /// @param more whether there is more to do at once
  /// @param ready who came into a ready slot
  record Pass(
      String saleState, int admitted, int passedOver, boolean more, List<SessionId> ready) {}

  Future<Pass> run(SaleKeys keys, int most) {
    return redis
        .run(
            SCRIPT,
            List.of(
                keys.sale(),
                keys.waiting(),
                keys.active(),
                keys.ready(),
                keys.devices(),
                keys.stock()),
            List.of(keys.sessionPrefix(), keys.lockPrefix(), Integer.toString(most)))
        .map(AdmitScript::pass);
  }

  private static Pass pass(RedisReply reply) {
    List<SessionId> ready = new ArrayList<>(Math.max(0, reply.size() - HEAD));
    for (int i = HEAD; i < reply.size(); i++) {
      ready.add(new SessionId(reply.textAt(i)));
    }
    return new Pass(
        reply.textAt(0),
        (int) reply.at(1).number(),
        (int) reply.at(2).number(),
        reply.at(3).number() == 1,
        List.copyOf(ready));
  }
}
