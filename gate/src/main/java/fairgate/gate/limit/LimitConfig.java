package fairgate.gate.limit;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The limits of this installation.
///
/// @param rules the limits in force
/// @param concurrent requests one address may have running on a node
/// @param streams event streams one address may have open on a node
/// @param callBudget how long Redis may take to judge a call
public record LimitConfig(List<LimitRule> rules, int concurrent, int streams, Duration callBudget) {
  /// Most requests that one address may have running: `max_conn_per_ip` of the seed document.
  public static final int CONCURRENT = 10;

  public LimitConfig {
    rules = List.copyOf(rules);
  }

  public static LimitConfig defaults() {
    return new LimitConfig(
        LimitDefaults.with(Map.of()), CONCURRENT, CONCURRENT, Duration.ofMillis(250));
  }
}
