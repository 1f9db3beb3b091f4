package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I24;

import fairgate.prove.environment.Resp;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Compares the counters of networks in Redis with the places and orders that they count. A counter
/// that is too high locks a network out, one that is too low gives it more than its share.
final class NetworkCheck {
  /// Replies {number of networks, then a text per counter that is wrong}. Reads places and counters
  /// at one instant.
  private static final String PLACES =
      """
      local held, counted = {}, {}
      for i = 2, 3 do
        for _, id in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do
          local networks = redis.call('HGET', ARGV[1] .. id, 'networks') or ''
          for network in string.gmatch(networks, '%S+') do
            held['net:' .. network] = (held['net:' .. network] or 0) + 1
          end
        end
      end
      local index = redis.call('HGETALL', KEYS[1])
      for i = 1, #index, 2 do
        if string.sub(index[i], 1, 4) == 'net:' then
          counted[index[i]] = tonumber(index[i + 1])
          held[index[i]] = held[index[i]] or 0
        end
      end
      local reply = { '0' }
      local networks = 0
      for network, places in pairs(held) do
        networks = networks + 1
        if counted[network] ~= places then
          reply[#reply + 1] = network .. ' has ' .. places .. ' and counts ' .. tostring(counted[network])
        end
      end
      reply[1] = tostring(networks)
      return reply
      """;

  private final InvariantResults tally;

  NetworkCheck(InvariantResults tally) {
    this.tally = tally;
  }

  void places(String product, Resp redis, Names names) throws IOException {
    List<String> found =
        redis.texts(
            "EVAL",
            PLACES,
            "3",
            names.queue("devices"),
            names.queue("waiting"),
            names.queue("active"),
            names.session(""));
    List<String> wrong = found.subList(1, found.size());
    int right = Integer.parseInt(found.getFirst()) - wrong.size();
    for (int i = 0; i < right; i++) {
      tally.that(I24, true, "");
    }
    wrong.forEach(text -> tally.that(I24, false, "places of %s: %s", product, text));
  }

  void units(String product, RedisSnapshot redis) {
    Map<String, Long> held = new HashMap<>();
    redis.bought().keySet().stream()
        .filter(who -> who.startsWith("net:"))
        .forEach(who -> held.put(who, 0L));
    for (Map<String, String> order : redis.orders().values()) {
      boolean live = LedgerSnapshot.live(order.getOrDefault("status", ""));
      long units = live ? Long.parseLong(order.getOrDefault("quantity", "0")) : 0;
      for (String network : order.getOrDefault("networks", "").split(" ", -1)) {
        if (!network.isEmpty()) {
          held.merge("net:" + network, units, Long::sum);
        }
      }
    }
    held.forEach(
        (who, units) -> {
          long counted = redis.bought().getOrDefault(who, 0L);
          tally.that(
              I24,
              counted == units,
              "units of %s: %s has %d and counts %d",
              product,
              who,
              units,
              counted);
        });
  }
}
