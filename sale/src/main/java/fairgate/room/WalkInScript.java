package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls `walk_in.lua`, which lets visitors into a room on standby and counts them.
final class WalkInScript {
  private static final LuaScript SCRIPT = LuaScript.load(WalkInScript.class, "walk_in.lua");
  private static final int MAX_ITEMS = 256;

  /// Visits of one address before the room turns on: a twentieth of the capacity, at least 20. A
  /// wider network has at least as many, else as many as it may have places.
  private static final int SHARE_OF_ADDRESS = 20;

  private static final int LEAST_OF_ADDRESS = 20;

  private final ScriptBatcher batcher;
  private final Duration period;

  WalkInScript(RedisClient redis, Duration period) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
    this.period = period;
  }

  enum Word {
    PASS,
    FULL,
    ON,
    NO_ROOM
  }

  /// The result.
  ///
  /// @param ticket of the visitor; -1 when the visitor has to wait
  record WalkIn(Word word, long ticket, long epoch) {}

  /// Lets a visitor in, or turns the room on.
  ///
  /// @param networks the hashes of the visitor's networks, from narrow to wide; none when they are
  ///   not counted
  Future<WalkIn> run(Room room, List<String> networks) {
    RoomStateKeys names = new RoomStateKeys(room.id());
    int capacity = room.admission().capacity();
    int perAddress = Math.max(LEAST_OF_ADDRESS, capacity / SHARE_OF_ADDRESS);
    Room.PlaceLimits limits = room.limits();
    return batcher.call(
        new ScriptBatcher.Shared(
            names.room() + '/' + room.version(),
            List.of(names.state(), names.inside()),
            List.of(
                names.prefix(),
                Integer.toString(capacity),
                Long.toString(room.session().toMillis() + 1_000),
                Long.toString(period.toMillis()),
                Integer.toString(perAddress),
                atLeast(perAddress, limits.perNetwork()),
                atLeast(perAddress, limits.perSite()))),
        new ScriptBatcher.Item(List.of(), List.of(String.join(" ", networks))),
        (text, rest) -> {
          String[] words = text.split(" ", -1);
          return new WalkIn(
              Word.valueOf(words[0]),
              words.length > 1 ? Long.parseLong(words[1]) : -1,
              rest.parsed(Long::parseLong));
        });
  }

  private static String atLeast(int perAddress, @Nullable Integer limit) {
    return limit == null ? "0" : Integer.toString(Math.max(perAddress, limit));
  }
}
