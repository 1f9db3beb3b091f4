package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The places of a draw's winners in the queue of its sale. Calls block and are for virtual
/// threads; they throw ServiceUnavailable while Redis is away.
public final class WinnerPlaces {
  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

  /// Maximum number of winners of one script run, so that a run takes milliseconds.
  private static final int MAX_WINNERS = 200;

  private final SeatWinnersScript seats;
  private final WinnerStatesScript states;
  private final QueueFeature.Config config;
  private final @Nullable SessionPointers pointers;

  WinnerPlaces(RedisClient redis, QueueFeature.Config config, @Nullable SessionPointers pointers) {
    this.seats = new SeatWinnersScript(redis);
    this.states = new WinnerStatesScript(redis);
    this.config = config;
    this.pointers = pointers;
  }

  /// A winner to be seated.
  ///
  /// @param session of its entry
  /// @param device hash of its device within the sale
  /// @param user as whom the sale counts it; null for a guest
  /// @param units that it may buy
  /// @param endsAt end of its offer, ms
  public record Winner(
      SessionId session, String device, @Nullable String user, int units, long endsAt) {}

  public enum Seat {
    SEATED,
    SAME,
    /// The time of its offer is over.
    OVER,
    /// The sale takes nobody now.
    NOT_OPEN,
    /// Somebody is active.
    NOT_FIRST
  }

  public sealed interface State {
    /// The winner may still buy or pay, or the outcome is not certain yet.
    record Open() implements State {}

    /// Units were bought, and paid if the sale requires it.
    record Bought(int units) implements State {}

    /// The offer is over without a purchase.
    ///
    /// @param reason as in the status of a place: `window`, `left`, `unpaid`, `closed`, `lost`
    record Ended(String reason) implements State {}

    /// There is no place: the winner has to be seated.
    record Unknown() implements State {}
  }

  /// Gives ready places to winners, in this order. A repeat changes nothing.
  public List<Seat> seat(ProductId product, List<Winner> winners) {
    return seat(product, winners, false);
  }

  /// Gives a ready place to the first person of a waiting list, unless somebody is active: this
  /// person would get a turn before those. A repeat changes nothing.
  public Seat seatFirst(ProductId product, Winner person) {
    return seat(product, List.of(person), true).getFirst();
  }

  private List<Seat> seat(ProductId product, List<Winner> winners, boolean onlyFirst) {
    List<Seat> outcomes = new ArrayList<>();
    for (int from = 0; from < winners.size(); from += MAX_WINNERS) {
      List<Winner> some = winners.subList(from, Math.min(winners.size(), from + MAX_WINNERS));
      SeatWinnersScript.Seats done = await(seats.run(keys(product), some, onlyFirst));
      for (int i = 0; i < some.size(); i++) {
        Seat seat = Seat.valueOf(done.replies().get(i));
        if (seat == Seat.SEATED || seat == Seat.SAME) {
          point(some.get(i).session(), product, done.life());
        }
        outcomes.add(seat);
      }
    }
    return outcomes;
  }

  /// In a cluster a session is found by its pointer. It is written after the place, and again when
  /// a crash came in between.
  private void point(SessionId session, ProductId product, Duration life) {
    SessionPointers all = pointers;
    if (all != null) {
      Void _ = await(all.write(session, product, life));
    }
  }

  public List<State> states(ProductId product, List<SessionId> sessions) {
    List<State> found = new ArrayList<>();
    for (int from = 0; from < sessions.size(); from += MAX_WINNERS) {
      List<SessionId> some = sessions.subList(from, Math.min(sessions.size(), from + MAX_WINNERS));
      await(states.run(keys(product), some)).forEach(text -> found.add(parse(text)));
    }
    return found;
  }

  private static State parse(String text) {
    String[] words = text.split(" ", -1);
    return switch (words[0]) {
      case "OPEN" -> new State.Open();
      case "BOUGHT" -> new State.Bought(Integer.parseInt(words[1]));
      case "ENDED" -> new State.Ended(words[1]);
      case "UNKNOWN" -> new State.Unknown();
      default -> throw new IllegalStateException("winner_states.lua replied " + text);
    };
  }

  private SaleKeys keys(ProductId product) {
    return SaleKeys.of(product, config.keyStyle());
  }

  private static <T> T await(Future<T> call) {
    return BlockingWork.within(CALL_LIMIT, call, "Redis is too slow");
  }

  /// Calls `winner_states.lua`, which reports what became of the offers to winners of a draw.
  record WinnerStatesScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(WinnerStatesScript.class, "winner_states.lua");

    Future<List<String>> run(SaleKeys keys, List<SessionId> sessions) {
      List<String> names = new ArrayList<>(List.of(keys.sale()));
      sessions.forEach(session -> names.add(keys.session(session)));
      return redis.run(SCRIPT, names, List.of(keys.orderPrefix())).map(RedisReply::texts);
    }
  }

  /// Calls `seat_winners.lua`, which gives ready places to winners of a draw and to the first
  /// person of a waiting list.
  record SeatWinnersScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(SeatWinnersScript.class, "seat_winners.lua");

    /// One reply per winner, and the life of the seated sessions.
    record Seats(List<String> replies, Duration life) {}

    /// @param onlyFirst whether they are seated only if nobody is active
    Future<Seats> run(SaleKeys keys, List<WinnerPlaces.Winner> winners, boolean onlyFirst) {
      List<String> names =
          new ArrayList<>(List.of(keys.sale(), keys.active(), keys.ready(), keys.devices()));
      List<String> args =
          new ArrayList<>(
              List.of(keys.product().value(), keys.lockPrefix(), onlyFirst ? "first" : ""));
      for (WinnerPlaces.Winner winner : winners) {
        String user = winner.user();
        names.add(keys.session(winner.session()));
        args.add(
            String.join(
                "|",
                Long.toString(winner.endsAt()),
                Integer.toString(winner.units()),
                winner.device(),
                user == null ? "" : user));
      }
      return redis
          .run(SCRIPT, names, args)
          .map(
              reply ->
                  new Seats(
                      reply.texts().subList(0, winners.size()),
                      Duration.ofMillis(Long.parseLong(reply.textAt(winners.size())))));
    }
  }
}
