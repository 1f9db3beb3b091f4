package fairgate.gate.signal;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// Calls `shared_by.lua`, which counts the accounts and browsers that share a device key or a
/// fingerprint.
record SharedByScript(RedisClient redis) {
  /// Beyond this, a count says no more.
  static final int MOST = 64;

  private static final LuaScript SCRIPT = LuaScript.load(SharedByScript.class, "shared_by.lua");

  /// The accounts and the browsers, the caller included.
  record Shared(int accounts, int browsers) {}

  /// A caller.
  ///
  /// @param account hash; empty for a guest
  /// @param browser hash; empty without one
  record Member(String account, String browser) {}

  /// Counts without changing anything.
  Future<Shared> count(String prefix, Member caller) {
    return run(prefix, caller, false, Duration.ofMillis(1));
  }

  /// Remembers the caller and counts.
  Future<Shared> remember(String prefix, Member caller, Duration life) {
    return run(prefix, caller, true, life);
  }

  private Future<Shared> run(String prefix, Member caller, boolean remember, Duration life) {
    return redis
        .run(
            SCRIPT,
            List.of(prefix + ":accounts", prefix + ":browsers"),
            List.of(
                caller.account(),
                caller.browser(),
                remember ? "1" : "0",
                Long.toString(life.toMillis()),
                Integer.toString(MOST)))
        .map(
            reply ->
                new Shared(
                    Math.toIntExact(reply.at(0).number()), Math.toIntExact(reply.at(1).number())));
  }
}
