package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// Calls `visit.lua`, which starts, prolongs and ends visits.
final class VisitScript {
  private static final LuaScript SCRIPT = LuaScript.load(VisitScript.class, "visit.lua");

  private final RedisClient redis;

  VisitScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The change of a visit.
  enum Action {
    EXCHANGE,
    RENEW,
    END
  }

  /// The reply.
  enum Word {
    PASS,
    USED,
    OVER,
    ENDED,
    EPOCH
  }

  /// @param ticket in the drawn order
  /// @param turn id of the turn; empty where there is none
  /// @param lasts from now on, for `EXCHANGE` and `RENEW`
  Future<Word> run(
      String room, Action action, long epoch, long ticket, String turn, Duration lasts) {
    RoomStateKeys keys = new RoomStateKeys(room);
    return redis
        .run(
            SCRIPT,
            List.of(keys.state(), keys.inside(), keys.turns(), keys.revoked(), keys.exchanged()),
            List.of(
                keys.prefix(),
                action.name().toLowerCase(Locale.ROOT),
                Long.toString(epoch),
                Long.toString(ticket),
                turn,
                Long.toString(lasts.toMillis()),
                Long.toString(Room.ABSOLUTE_SESSION.toMillis())))
        .map(reply -> Word.valueOf(reply.text()));
  }
}
