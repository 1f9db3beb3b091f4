package fairgate.room;

import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
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

  enum Word {
    TICKET,
    AGAIN,
    INSIDE,
    NETWORK,
    DRAWN_PLACES,
    CHALLENGE_USED,
    OFF,
    ENDED,
    NO_ROOM
  }

  /// A request.
  ///
  /// @param browser hash of the browser
  /// @param once the challenge solution to use up, if there is one
  /// @param networks the hashes of the caller's networks, from narrow to wide
  /// @param numbers the drawn numbers that DRAWN_PLACES has asked for, each as `ticket:number`
  record Call(
      String browser, @Nullable SingleUse once, List<String> networks, List<String> numbers) {
    Call {
      networks = List.copyOf(networks);
      numbers = List.copyOf(numbers);
    }

    /// The same request with more numbers.
    Call knowing(List<String> drawn) {
      return new Call(
          browser, once, networks, Stream.concat(numbers.stream(), drawn.stream()).toList());
    }

    private String text() {
      return String.join(
          "|",
          browser,
          once == null ? "" : once.nonce(),
          once == null ? "" : Long.toString(Math.max(1, once.remember().toMillis())),
          String.join(" ", networks),
          String.join(" ", numbers));
    }
  }

  /// The result.
  ///
  /// @param tickets the ticket, in order of arrival; with DRAWN_PLACES those whose drawn numbers
  ///   are needed; else none
  record Taken(Word word, List<Long> tickets, long epoch) {
    Taken {
      tickets = List.copyOf(tickets);
    }

    long ticket() {
      return tickets.getFirst();
    }
  }

  Future<Taken> run(RoomStateKeys keys, Room.PlaceLimits limits, Call call) {
    return batcher.call(
        new ScriptBatcher.Shared(
            // Calls of one batch must have equal arguments.
            keys.room() + ' ' + limits.hashCode(),
            List.of(keys.state(), keys.inside()),
            List.of(
                keys.prefix(),
                Long.toString(period.toMillis()),
                text(limits.perAddress()),
                text(limits.perNetwork()),
                text(limits.perSite()))),
        new ScriptBatcher.Item(List.of(), List.of(call.text())),
        (text, rest) -> {
          String[] words = text.split(" ", -1);
          return new Taken(
              Word.valueOf(words[0]),
              Arrays.stream(words).skip(1).map(Long::valueOf).toList(),
              rest.parsed(Long::parseLong));
        });
  }

  private static String text(@Nullable Integer limit) {
    return limit == null ? "0" : limit.toString();
  }
}
