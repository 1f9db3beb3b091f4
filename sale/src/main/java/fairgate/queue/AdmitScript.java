package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/// Calls `admit.lua`, which moves places forward.
record AdmitScript(RedisClient redis) {
  private static final LuaScript SCRIPT = LuaScript.load(AdmitScript.class, "admit.lua");
  private static final int HEAD = 9;

  /// The result of one run.
  ///
  /// @param saleState the state of the sale at that instant
  /// @param admitted places moved from waiting to active
  /// @param passedOver places ended because their sessions were absent
  /// @param more whether there is more to do at once
  /// @param kept missing sessions whose places are kept, because they are an unusual share of those
  ///   at the front; else 0
  /// @param waits how long each admitted session has waited since it joined, or since the sale
  ///   opened if that was later, ms
  /// @param listIsOld whether the sale has a waiting list of which nobody has told for seconds
  /// @param delays after which time the turn of each of `ready` begins, ms
  /// @param ready sessions that became ready
  record Pass(
      String saleState,
      int admitted,
      int passedOver,
      boolean more,
      int kept,
      List<Long> waits,
      boolean listIsOld,
      List<Long> delays,
      List<SessionId> ready) {}

  Future<Pass> run(SaleKeys keys, int max) {
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
            List.of(
                keys.sessionPrefix(),
                keys.lockPrefix(),
                Integer.toString(max),
                Integer.toString(ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE))))
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
        (int) reply.at(5).number(),
        millis(reply.textAt(6)),
        reply.at(7).number() == 1,
        millis(reply.textAt(8)),
        List.copyOf(ready));
  }

  private static List<Long> millis(String text) {
    return text.isEmpty() ? List.of() : Stream.of(text.split(" ", -1)).map(Long::valueOf).toList();
  }
}
