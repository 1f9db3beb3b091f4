package fairgate.line;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Client of `claim_events.lua`: takes over events with an expired lease.
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

  /// An event that was taken over.
  record Claimed(String step, int tries, String payload) {}

  /// @param max events to take over
  Future<List<Claimed>> run(int max) {
    return redis
        .run(
            SCRIPT,
            List.of(LineKeys.INBOX, LineKeys.PENDING),
            List.of(owner, lease, Integer.toString(max)))
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
