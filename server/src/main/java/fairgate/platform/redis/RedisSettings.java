package fairgate.platform.redis;

import java.time.Duration;

/// How to reach Redis.
///
/// @param uri `redis://[:password@]host:port[/db]` or `unix:///path`
/// @param callBudget after which a call is given up as "outcome unknown"
public record RedisSettings(String uri, Duration callBudget) {
  /// Two seconds a call: long enough for a slow disk, short enough for a waiting buyer.
  public static RedisSettings of(String uri) {
    return new RedisSettings(uri, Duration.ofSeconds(2));
  }
}
