package fairgate.gate.limit;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/// `give_back.lua`: gives back calls that were counted and then answered 503, or did nothing.
final class GiveBackScript {
  private static final LuaScript SCRIPT = LuaScript.load(GiveBackScript.class, "give_back.lua");

  private final RedisClient redis;
  private final String tag;

  GiveBackScript(RedisClient redis) {
    this.redis = redis;
    this.tag = redis.tag(LimitKeys.TAG);
  }

  /// Calls of one key to give back. Times are Redis times, µs.
  sealed interface Row {
    String key();

    /// Keeps at most this many of the calls of one run. A repeat changes nothing.
    record Window(String key, long micros, int keep) implements Row {}

    /// Reduces the debt by one call, unless the key has been idle since. Must not be repeated.
    ///
    /// @param idleThen when the key would have been idle without later calls
    /// @param p µs of q calls
    record Rate(String key, long idleThen, long p, long q) implements Row {}
  }

  /// The number of keys changed. After a failed future it is unknown whether the script ran.
  Future<Long> run(List<Row> rows) {
    List<String> keys = rows.stream().map(row -> tag.concat(row.key())).toList();
    String kinds = column(rows, row -> row instanceof Row.Window ? "\"w\"" : "\"r\"");
    String a =
        column(
            rows,
            row ->
                switch (row) {
                  case Row.Window window -> Long.toString(window.micros());
                  case Row.Rate rate -> Long.toString(rate.idleThen());
                });
    String b =
        column(
            rows,
            row ->
                switch (row) {
                  case Row.Window window -> Long.toString(window.keep());
                  case Row.Rate rate -> Long.toString(rate.p());
                });
    String c = column(rows, row -> row instanceof Row.Rate rate ? Long.toString(rate.q()) : "1");
    String json = "[%s,%s,%s,%s]".formatted(kinds, a, b, c);
    return redis.run(SCRIPT, keys, List.of(json)).map(reply -> reply.number());
  }

  private static String column(List<Row> rows, Function<Row, String> value) {
    return rows.stream().map(value).collect(Collectors.joining(",", "[", "]"));
  }
}
