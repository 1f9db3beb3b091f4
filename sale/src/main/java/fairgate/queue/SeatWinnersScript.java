package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Calls `seat_winners.lua`, which gives ready places to winners of a draw and to the first person
/// of a waiting list.
final class SeatWinnersScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(SeatWinnersScript.class, "seat_winners.lua");

  private final RedisClient redis;

  SeatWinnersScript(RedisClient redis) {
    this.redis = redis;
  }

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
