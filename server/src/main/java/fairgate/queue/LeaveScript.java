package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;

/// `leave.lua`: a place given up.
final class LeaveScript {
  private static final LuaScript SCRIPT = LuaScript.load(LeaveScript.class, "leave.lua");

  private final RedisClient redis;

  LeaveScript(RedisClient redis) {
    this.redis = redis;
  }

  Future<LeaveOutcome> run(SessionId session) {
    return redis
        .run(
            SCRIPT,
            List.of("session:" + session.value(), "purchase:lock:" + session.value()),
            List.of(
                SaleKeys.open(SaleKeys.Style.PLAIN),
                SaleKeys.close(SaleKeys.Style.PLAIN),
                session.value()))
        .map(reply -> outcome(reply.text()));
  }

  private static LeaveOutcome outcome(String reply) {
    String word = reply.indexOf(' ') < 0 ? reply : reply.substring(0, reply.indexOf(' '));
    return switch (word) {
      case "LEFT" -> new LeaveOutcome.Left(new ProductId(reply.substring(5)));
      case "GONE" -> new LeaveOutcome.NotInQueue();
      case "UNKNOWN" -> new LeaveOutcome.UnknownSession();
      default -> throw new IllegalStateException("leave.lua said " + word);
    };
  }
}
