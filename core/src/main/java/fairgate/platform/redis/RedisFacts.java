package fairgate.platform.redis;

import io.vertx.core.Future;
import java.util.Map;
import java.util.TreeMap;

/// The properties of one Redis that determine whether purchases are safe on it.
///
/// @param node the name of the node, as in [RedisClient#nodes]
/// @param facts fields of `INFO`, and the settings `appendfsync` and `min-replicas-to-write`;
///   fields that this Redis does not report are missing
public record RedisFacts(String node, Map<String, String> facts) {
  public RedisFacts {
    facts = Map.copyOf(facts);
  }

  /// Reads the facts of one Redis. Managed services forbid `CONFIG`, and some forbid `INFO`: such
  /// fields are then missing. Fails only when there is no reply.
  static Future<RedisFacts> ask(String node, CommandSender sender) {
    Map<String, String> facts = new TreeMap<>();
    return nilIfRefused(sender.send("INFO"))
        .onSuccess(reply -> read(reply.text(), facts))
        .compose(_ -> setting("appendfsync", sender, facts))
        .compose(_ -> setting("min-replicas-to-write", sender, facts))
        .map(_ -> new RedisFacts(node, facts));
  }

  private static Future<Void> setting(
      String name, CommandSender sender, Map<String, String> facts) {
    return nilIfRefused(sender.send("CONFIG", "GET", name))
        .onSuccess(
            reply -> {
              String value = reply.isNil() ? "" : reply.get(name).text();
              if (!value.isEmpty()) {
                facts.put(name, value);
              }
            })
        .mapEmpty();
  }

  @FunctionalInterface
  interface CommandSender {
    Future<RedisReply> send(String command, String... args);
  }

  private static Future<RedisReply> nilIfRefused(Future<RedisReply> reply) {
    return reply.recover(
        failure ->
            failure instanceof RedisFailure
                ? Future.succeededFuture(RedisReply.of(null))
                : Future.failedFuture(failure));
  }

  private static void read(String info, Map<String, String> facts) {
    for (String line : info.split("\r?\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    }
  }

  /// The value of a field; empty when missing.
  public String get(String name) {
    return facts.getOrDefault(name, "");
  }

  /// `Redis 7.0.15` or `Valkey 8.1.4`; empty when unknown.
  public String version() {
    String valkey = get("valkey_version");
    if (!valkey.isEmpty()) {
      return "Valkey " + valkey;
    }
    return get("redis_version").isEmpty() ? "" : "Redis " + get("redis_version");
  }
}
