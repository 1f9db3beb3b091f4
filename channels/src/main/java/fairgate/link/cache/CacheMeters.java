package fairgate.link.cache;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// The metrics of the cache. The hit ratio of a tier is its share of all lookups that reached it.
final class CacheMeters {
  final Counter memory;
  final Counter memoryAbsent;
  final Counter redis;
  final Counter redisAbsent;
  final Counter database;
  final Counter databaseAbsent;
  final Counter stale;
  final Counter unknown;
  final Counter changes;

  CacheMeters(Metrics metrics) {
    memory = lookups(metrics, "memory", "hit");
    memoryAbsent = lookups(metrics, "memory", "absent");
    redis = lookups(metrics, "redis", "hit");
    redisAbsent = lookups(metrics, "redis", "absent");
    database = lookups(metrics, "database", "hit");
    databaseAbsent = lookups(metrics, "database", "absent");
    stale =
        metrics.counter(
            "fairgate.link.stale", "Links answered from memory while they could not be looked up");
    unknown =
        metrics.counter(
            "fairgate.link.unknown", "Look-ups nobody could answer: no tier, no database");
    changes = metrics.counter("fairgate.link.changes", "Changes of links this node heard of");
  }

  private static Counter lookups(Metrics metrics, String tier, String result) {
    return metrics.counter(
        "fairgate.link.lookups",
        "Look-ups of codes, by the tier that answered",
        "tier",
        tier,
        "result",
        result);
  }
}
