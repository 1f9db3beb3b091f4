package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Checks the key `fairgate:layout`: the layout version of the data in Redis, and the lowest
/// version of servers that may use them.
final class RedisLayout {
  private static final Logger LOG = LoggerFactory.getLogger(RedisLayout.class);
  private static final String KEY = "fairgate:layout";

  /// Incremented with every change of a key in `docs/redis-keys.md`.
  private static final int VERSION = 1;

  /// The lowest version of servers that can use this layout.
  private static final int MINIMUM = 1;

  private static final long CALL_TIMEOUT_SECONDS = 10;

  private RedisLayout() {}

  /// Compares this build's layout with that of the data, and stores it if it is newer. Blocks. If
  /// the Redis node with the key is away, it logs a warning and continues.
  ///
  /// @throws StartFailed when a newer build has locked layouts as old as this one out
  static void check(RedisClient redis) {
    try {
      RedisReply found =
          redis
              .send("HMGET", KEY, "version", "minimum")
              .await(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      int version = number(found.at(0));
      int minimum = number(found.at(1));
      if (minimum > VERSION) {
        throw new StartFailed(
            "The data in Redis belong to a newer build: they need servers with layout %d or later, and this one has %d. Start the newer build (docs/operate/upgrading.md)."
                .formatted(minimum, VERSION));
      }
      if (version > VERSION) {
        LOG.warn(
            "A newer build has written to Redis; this older one can still use the data. Start the"
                + " newer build on every node; layout={} newer={}",
            VERSION,
            version);
      } else if (version < VERSION) {
        var _ =
            redis
                .send("HSET", KEY, "version", text(VERSION), "minimum", text(MINIMUM))
                .await(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      }
    } catch (TimeoutException | ServiceUnavailable e) {
      LOG.warn("Could not read the layout version of the data in Redis", e);
    }
  }

  private static int number(RedisReply reply) {
    return reply.isNil() ? 0 : (int) reply.number();
  }

  private static String text(int number) {
    return Integer.toString(number);
  }
}
