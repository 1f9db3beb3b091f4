package fairgate.room;

import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls `take_ticket.lua`, which gives tickets in order of arrival.
final class TakeTicketScript {
  private static final LuaScript SCRIPT = LuaScript.load(TakeTicketScript.class, "take_ticket.lua");
  private static final int MAX_ITEMS = 128;

  private final ScriptBatcher batcher;
  private final Duration period;

  TakeTicketScript(RedisClient redis, Duration period) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
    this.period = period;
  }

  /// The reply to a request.
  enum Word {
    TICKET,
    AGAIN,
    DRAWN,
    CHALLENGE_USED,
    OFF,
    ENDED,
    NO_ROOM
  }

  /// The result.
  ///
  /// @param ticket in order of arrival; -1 without a ticket
  record Taken(Word word, long ticket, long epoch) {}

  /// @param browser hash of the browser
  /// @param forget whether the browser's earlier ticket is gone
  Future<Taken> run(RoomStateKeys keys, String browser, @Nullable SingleUse once, boolean forget) {
    String item =
        String.join(
            "|",
            browser,
            once == null ? "" : once.nonce(),
            once == null ? "" : Long.toString(Math.max(1, once.remember().toMillis())),
            forget ? "1" : "");
    return batcher.call(
        new ScriptBatcher.Shared(
            keys.room(),
            List.of(keys.state()),
            List.of(keys.prefix(), Long.toString(period.toMillis()))),
        new ScriptBatcher.Item(List.of(), List.of(item)),
        (text, rest) -> {
          String[] words = text.split(" ", -1);
          return new Taken(
              Word.valueOf(words[0]),
              words.length > 1 ? Long.parseLong(words[1]) : -1,
              rest.parsed(Long::parseLong));
        });
  }
}
