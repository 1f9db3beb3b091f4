package fairgate.draw;

import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls `enter_draw.lua`, which uses up challenges and counts people by network.
final class EnterDrawScript {
  private static final LuaScript SCRIPT = LuaScript.load(EnterDrawScript.class, "enter_draw.lua");
  private static final int MAX_ITEMS = 128;

  private final ScriptBatcher batcher;

  EnterDrawScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
  }

  enum Word {
    OK,
    NETWORK,
    CHALLENGE_USED
  }

  /// @param person of 24 characters, equal for two entries of one person
  /// @param once the challenge solution to use up, if there is one
  /// @param networks the hashes of the caller's networks, from narrow to wide
  /// @param life of the counters
  Future<Word> run(
      SaleKeys keys,
      String draw,
      SalePolicy.Fairness limits,
      Duration life,
      String person,
      @Nullable SingleUse once,
      List<String> networks) {
    ScriptBatcher.Shared shared =
        new ScriptBatcher.Shared(
            // Calls of one batch must have equal arguments.
            keys.product().value() + ' ' + draw + ' ' + limits.hashCode(),
            List.of(keys.sale()),
            List.of(
                keys.eventPrefix(),
                draw,
                text(limits.placesPerIp()),
                text(limits.placesPerNetwork()),
                text(limits.placesPerSite()),
                Long.toString(life.toMillis())));
    String item =
        String.join(
            "|",
            person,
            once == null ? "" : once.nonce(),
            once == null ? "" : Long.toString(Math.max(1, once.remember().toMillis())),
            String.join(" ", networks));
    return batcher
        .call(shared, new ScriptBatcher.Item(List.of(), List.of(item)))
        .map(Word::valueOf);
  }

  private static String text(@Nullable Integer limit) {
    return limit == null ? "0" : limit.toString();
  }
}
