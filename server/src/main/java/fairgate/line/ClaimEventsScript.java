package fairgate.line;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// `claim_events.lua`: events nobody works on any more.
final class ClaimEventsScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(ClaimEventsScript.class, "claim_events.lua");

  private final RedisClient redis;
  private final String owner;
  private final String lease;

  ClaimEventsScript(RedisClient redis, String owner, Duration lease) {
    this.redis = redis;
    this.owner = owner;
    this.lease = Long.toString(lease.toMillis());
  }

  /// One event handed over.
  record Claimed(String step, int tries, String payload) {}

  /// @param most events to take
  Future<List<Claimed>> run(int most) {
    return redis
        .run(
            SCRIPT,
            List.of(LineKeys.INBOX, LineKeys.PENDING),
            List.of(owner, lease, Integer.toString(most)))
        .map(
            reply -> {
              List<Claimed> all = new ArrayList<>();
              for (int i = 0; i + 2 < reply.size(); i += 3) {
                all.add(
                    new Claimed(
                        reply.textAt(i),
                        Integer.parseInt(reply.textAt(i + 1)),
                        reply.textAt(i + 2)));
              }
              return all;
            });
  }
}
