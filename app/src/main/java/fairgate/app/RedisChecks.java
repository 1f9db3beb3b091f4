package fairgate.app;

import fairgate.app.config.Finding;
import fairgate.app.config.Finding.Refused;
import fairgate.app.config.Finding.Unknown;
import fairgate.app.config.Finding.Warning;
import fairgate.platform.redis.RedisFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The preflight checks of Redis and Valkey.
final class RedisChecks {
  /// What to know about the bundled Redis of `up`.
  static final String BUNDLED =
      "fine for a trial; before a real sale, install redis-server or valkey-server, which get"
          + " security fixes";

  private static final int OLDEST_MAJOR = 7;
  private static final Pattern VERSION = Pattern.compile("(Redis|Valkey) (\\d+)\\.(\\d+)\\.(\\d+)");

  /// The first release of each line without the known vulnerabilities of the Lua interpreter
  /// (CVE-2024-46981, CVE-2025-49844 and related ones). Later lines never had them.
  private static final Map<String, Integer> PATCHED =
      Map.of(
          "Redis 7.2",
          11,
          "Redis 7.4",
          6,
          "Redis 8.0",
          4,
          "Redis 8.2",
          2,
          "Valkey 7.2",
          11,
          "Valkey 8.0",
          6,
          "Valkey 8.1",
          4);

  private RedisChecks() {}

  /// The findings about one Redis.
  static List<Finding> findings(RedisFacts redis) {
    List<Finding> findings = new ArrayList<>();
    role(redis).ifPresent(findings::add);
    version(redis).ifPresent(findings::add);
    log(redis).ifPresent(findings::add);
    sync(redis).ifPresent(findings::add);
    eviction(redis).ifPresent(findings::add);
    return findings;
  }

  /// The findings about one Redis whose answers wait for a replica (`redis.durability:
  /// replicated`).
  static List<Finding> replication(RedisFacts redis) {
    List<Finding> findings = new ArrayList<>();
    String replicas = redis.get("connected_slaves");
    if (replicas.isEmpty()) {
      findings.add(new Unknown("redis.durability replicated: the number of replicas is not told"));
    } else if (replicas.equals("0")) {
      findings.add(
          new Refused(
              "redis.durability replicated: %s has no replica, so no purchase could be answered;"
                      .formatted(redis.node())
                  + " connect one, or set redis.durability to local"));
    }
    String least = redis.get("min-replicas-to-write");
    if (least.isEmpty()) {
      findings.add(
          new Unknown(
              "redis min-replicas-to-write: CONFIG is forbidden; it has to be 1 or more with"
                  + " redis.durability replicated"));
    } else if (least.equals("0")) {
      findings.add(
          new Refused(
              "redis min-replicas-to-write 0: without a replica Redis would keep purchases whose"
                  + " buyers are told nothing; set it to 1"));
    }
    return findings;
  }

  /// The problem of a release: too old, or with known vulnerabilities.
  ///
  /// @param version `Redis 7.0.15` or `Valkey 8.1.4`
  static Optional<Finding> release(String version) {
    Matcher parts = VERSION.matcher(version);
    if (!parts.matches()) {
      return Optional.of(new Unknown("redis: its version is not told; it has to be 7 or later"));
    }
    int major = Integer.parseInt(parts.group(2));
    int minor = Integer.parseInt(parts.group(3));
    if (major < OLDEST_MAJOR) {
      return Optional.of(
          new Refused("redis: " + version + " is too old; use Redis or Valkey 7 or later"));
    }
    boolean later =
        parts.group(1).equals("Redis") ? major > 8 || (major == 8 && minor > 2) : major > 8;
    int patched =
        PATCHED.getOrDefault("%s %d.%d".formatted(parts.group(1), major, minor), Integer.MAX_VALUE);
    if (later || Integer.parseInt(parts.group(4)) >= patched) {
      return Optional.empty();
    }
    return Optional.of(
        new Warning(
            "redis: the Lua of "
                + version
                + " has known holes (CVE-2024-46981, CVE-2025-49844), unless its packager patched"
                + " it under the same number, as Debian does; let only Fairgate reach it, and use"
                + " Redis 7.2.11, 7.4.6, 8.0.4 or 8.2.2, Valkey 8.0.6 or 8.1.4, or later"));
  }

  private static Optional<Finding> version(RedisFacts redis) {
    return release(redis.version());
  }

  private static Optional<Finding> role(RedisFacts redis) {
    return switch (redis.get("role")) {
      case "master" -> Optional.empty();
      case "" ->
          Optional.of(new Unknown("redis: its role is not told; redis.url has to name a primary"));
      default ->
          Optional.of(
              new Refused(
                  "redis.url: %s is a replica and takes no writes; name its primary"
                      .formatted(redis.node())));
    };
  }

  private static Optional<Finding> log(RedisFacts redis) {
    return switch (redis.get("aof_enabled")) {
      case "1" -> Optional.empty();
      case "" ->
          Optional.of(
              new Unknown("redis appendonly: not told; see that the append-only file is on"));
      default ->
          Optional.of(
              new Refused(
                  "redis appendonly no: a restart of Redis loses the queue and every purchase that"
                      + " is not in PostgreSQL yet; set appendonly yes"));
    };
  }

  private static Optional<Finding> sync(RedisFacts redis) {
    return switch (redis.get("appendfsync")) {
      case "always" -> Optional.empty();
      case "" ->
          Optional.of(
              new Unknown(
                  "redis appendfsync: CONFIG is forbidden; only always loses no answered purchase"
                      + " when the machine dies"));
      case "everysec" ->
          Optional.of(
              new Warning(
                  "redis appendfsync everysec: when the machine dies, up to a second of answered"
                      + " purchases is lost; set appendfsync always"));
      default ->
          Optional.of(
              new Refused(
                  "redis appendfsync no: when the machine dies, half a minute of answered purchases"
                      + " is lost; set appendfsync always"));
    };
  }

  private static Optional<Finding> eviction(RedisFacts redis) {
    String policy = redis.get("maxmemory_policy");
    if (policy.equals("noeviction")) {
      return Optional.empty();
    }
    return Optional.of(
        policy.isEmpty()
            ? new Unknown("redis maxmemory-policy: not told; it has to be noeviction")
            : new Refused(
                "redis maxmemory-policy "
                    + policy
                    + ": Redis deletes places and orders when its memory is full; set noeviction"));
  }
}
