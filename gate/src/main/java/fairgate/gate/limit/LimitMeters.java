package fairgate.gate.limit;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Metrics of the limiter on this node. Their labels are names of limits, so they are few.
final class LimitMeters {
  private final Metrics metrics;
  private final Counter granted;
  private final Counter remembered;
  private final Counter replayed;
  private final Counter calls;
  private final Counter items;
  private final Counter failures;
  private final Map<String, Counter> refused = new ConcurrentHashMap<>();
  private final Map<String, Counter> degraded = new ConcurrentHashMap<>();
  private volatile long lastDegraded;
  private volatile boolean everDegraded;

  LimitMeters(Metrics metrics) {
    this.metrics = metrics;
    String decisions = "fairgate.limit.decisions";
    String help = "Calls that were judged, by what was decided and where that was known";
    this.granted = metrics.counter(decisions, help, "decision", "granted", "by", "redis");
    this.remembered = metrics.counter(decisions, help, "decision", "refused", "by", "memory");
    this.replayed = metrics.counter(decisions, help, "decision", "replayed", "by", "redis");
    this.calls = metrics.counter("fairgate.limit.redis.calls", "Script runs that were answered");
    this.items = metrics.counter("fairgate.limit.redis.items", "Items in them");
    this.failures =
        metrics.counter(
            "fairgate.limit.redis.failures", "Script runs without an answer in the call budget");
    // Registered at start: an alert on a rate would miss the first increment of a new counter.
    for (LimitRule.OnFailure policy : LimitRule.OnFailure.values()) {
      var _ = degradedCounter(policy.word());
    }
  }

  void granted() {
    granted.increment();
  }

  void remembered() {
    remembered.increment();
  }

  void replayed() {
    replayed.increment();
  }

  void refused(LimitRule rule) {
    Counter counter = refused.get(rule.name());
    if (counter == null) {
      counter =
          refused.computeIfAbsent(
              rule.name(),
              name ->
                  metrics.counter("fairgate.limit.refused", "Refusals, by limit", "limit", name));
    }
    counter.increment();
  }

  /// A call was judged without Redis, by its limit's failure policy.
  void degraded(String policy, long now) {
    lastDegraded = now;
    everDegraded = true;
    degradedCounter(policy).increment();
  }

  private Counter degradedCounter(String policy) {
    return degraded.computeIfAbsent(
        policy,
        word ->
            metrics.counter(
                "fairgate.limit.degraded", "Calls judged without Redis", "policy", word));
  }

  /// Time since a call was judged without Redis, ns; negative when none was.
  long sinceDegraded(long now) {
    return everDegraded ? Math.max(0, now - lastDegraded) : -1;
  }

  void asked(int count) {
    calls.increment();
    items.increment(count);
  }

  void failed() {
    failures.increment();
  }
}
