package fairgate.prove.check;

import fairgate.prove.environment.Resp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The state of one sale in Redis when no work is pending.
///
/// @param sale its hash
/// @param orders the hashes of its orders, by id
/// @param bought units by the suffix of the counter's key: `user:{id}` and `fp:{hash}`
/// @param pending unpaid orders
record RedisSnapshot(
    long stock,
    Map<String, String> sale,
    Map<String, Map<String, String>> orders,
    Map<String, Long> bought,
    List<String> pending,
    List<String> purchases) {

  static RedisSnapshot read(Resp redis, Names names, String product) throws IOException {
    Map<String, Map<String, String>> orders = new HashMap<>();
    for (String key : scan(redis, names.order("order_" + product + "_*"))) {
      orders.put(key.substring(names.order("").length()), hash(redis, key));
    }
    Map<String, Long> bought = new HashMap<>();
    String event = names.event();
    for (String key : scan(redis, event + "*:bought")) {
      String who = key.substring(event.length(), key.length() - ":bought".length());
      bought.put(who, number(redis.call("GET", key)));
    }
    return new RedisSnapshot(
        number(redis.call("GET", names.stock())),
        hash(redis, names.sale()),
        orders,
        bought,
        redis.texts("ZRANGE", names.pending(), "0", "-1"),
        redis.texts("SMEMBERS", names.purchases()));
  }

  long number(String field) {
    return Long.parseLong(sale.getOrDefault(field, "0"));
  }

  private static long number(@Nullable Object reply) {
    return reply == null ? 0 : Long.parseLong(String.valueOf(reply));
  }

  private static Map<String, String> hash(Resp redis, String key) throws IOException {
    List<String> pairs = redis.texts("HGETALL", key);
    Map<String, String> fields = new HashMap<>();
    for (int i = 0; i + 1 < pairs.size(); i += 2) {
      fields.put(pairs.get(i), pairs.get(i + 1));
    }
    return fields;
  }

  private static List<String> scan(Resp redis, String pattern) throws IOException {
    List<String> found = new ArrayList<>();
    String cursor = "0";
    do {
      if (!(redis.call("SCAN", cursor, "MATCH", pattern, "COUNT", "2000")
          instanceof List<?> reply)) {
        throw new IOException("no SCAN");
      }
      cursor = String.valueOf(reply.getFirst());
      found.addAll(Resp.texts(reply.get(1)));
    } while (!cursor.equals("0"));
    return found.stream().distinct().toList();
  }
}
