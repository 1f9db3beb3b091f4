package fairgate.platform.redis;

import java.time.Duration;
import java.util.List;

/// The address of Redis and the time limit of calls.
///
/// @param uri `redis://[:password@]host:port[/db]` or `unix:///path`; for a cluster, any node
/// @param callBudget the time after which a call fails with an unknown outcome
/// @param cluster whether the URI is a node of a Redis Cluster
/// @param others further nodes of the cluster, `host:port`, from which the slots may be read
public record RedisSettings(String uri, Duration callBudget, boolean cluster, List<String> others) {
  public RedisSettings {
    others = List.copyOf(others);
  }

  /// A single Redis.
  public RedisSettings(String uri, Duration callBudget) {
    this(uri, callBudget, false, List.of());
  }

  /// The URI without the password.
  @Override
  public String toString() {
    return uri.replaceFirst("//[^/]*@", "//");
  }

  /// Settings with a call budget of two seconds: long enough for a slow disk, short enough for a
  /// waiting buyer.
  public static RedisSettings of(String uri) {
    return new RedisSettings(uri, Duration.ofSeconds(2));
  }

  /// Settings for a Redis Cluster, with a call budget of two seconds.
  public static RedisSettings cluster(String uri, List<String> others) {
    return new RedisSettings(uri, Duration.ofSeconds(2), true, others);
  }
}
