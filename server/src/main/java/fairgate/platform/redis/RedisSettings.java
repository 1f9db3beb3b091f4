package fairgate.platform.redis;

import java.time.Duration;
import java.util.List;

/// How to reach Redis.
///
/// @param uri `redis://[:password@]host:port[/db]` or `unix:///path`; of a cluster any node
/// @param callBudget after which a call is given up as "outcome unknown"
/// @param cluster whether it is a node of a Redis Cluster
/// @param others more nodes of the cluster, `host:port`, to learn the slots from
public record RedisSettings(String uri, Duration callBudget, boolean cluster, List<String> others) {
  public RedisSettings {
    others = List.copyOf(others);
  }

  /// A single Redis.
  public RedisSettings(String uri, Duration callBudget) {
    this(uri, callBudget, false, List.of());
  }

  /// For messages: without the password.
  @Override
  public String toString() {
    return uri.replaceFirst("//[^/]*@", "//");
  }

  /// Two seconds a call: long enough for a slow disk, short enough for a waiting buyer.
  public static RedisSettings of(String uri) {
    return new RedisSettings(uri, Duration.ofSeconds(2));
  }

  /// The same for a Redis Cluster.
  public static RedisSettings cluster(String uri, List<String> others) {
    return new RedisSettings(uri, Duration.ofSeconds(2), true, others);
  }
}
