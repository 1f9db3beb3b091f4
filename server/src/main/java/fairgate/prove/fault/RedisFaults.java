package fairgate.prove.fault;

import fairgate.prove.stage.Resp;
import fairgate.prove.stage.Waiting;
import java.io.IOException;
import java.time.Duration;

/// Harm to Redis that loses nothing it has answered.
final class RedisFaults {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private RedisFaults() {}

  static boolean killed(Site site) {
    site.engines().killRedis();
    long from = System.nanoTime();
    Waiting.rest(site.about(800));
    site.chronicle().outage(from, System.nanoTime());
    site.engines().redisBack();
    return true;
  }

  static boolean scriptsFlushed(Site site) throws IOException {
    try (Resp redis = Resp.open(site.engines().redis())) {
      return "OK".equals(redis.call("SCRIPT", "FLUSH"));
    }
  }

  static boolean outOfMemory(Site site) throws IOException {
    try (Resp redis = Resp.open(site.engines().redis())) {
      if (!"OK".equals(redis.call("CONFIG", "SET", "maxmemory", "1"))) {
        return false;
      }
      long from = System.nanoTime();
      Waiting.rest(site.about(1_000));
      site.chronicle().outage(from, System.nanoTime());
      return "OK".equals(redis.call("CONFIG", "SET", "maxmemory", "0"));
    }
  }

  /// A snapshot that cannot be written makes Redis refuse every write.
  static boolean readOnly(Site site) throws IOException {
    try (Resp redis = Resp.open(site.engines().redis())) {
      site.engines().lockRedisFolder(true);
      Object _ = redis.call("CONFIG", "SET", "save", "1 1");
      Object _ = redis.call("BGSAVE");
      boolean refuses = Waiting.holds(PATIENCE, () -> refuses(redis));
      long from = System.nanoTime();
      Waiting.rest(site.about(1_000));
      if (refuses) {
        site.chronicle().outage(from, System.nanoTime());
      }
      site.engines().lockRedisFolder(false);
      Object _ = redis.call("CONFIG", "SET", "save", "");
      Object _ = redis.call("BGSAVE");
      return refuses;
    } finally {
      site.engines().lockRedisFolder(false);
    }
  }

  private static boolean refuses(Resp redis) {
    try {
      return String.valueOf(redis.call("SET", "prove:write", "1", "PX", "1000"))
          .startsWith("-MISCONF");
    } catch (IOException _) {
      return false;
    }
  }
}
