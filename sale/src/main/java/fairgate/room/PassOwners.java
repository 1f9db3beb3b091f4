package fairgate.room;

import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.room.token.RoomClaims;
import io.vertx.core.Future;
import java.util.List;

/// Gives a visit to the first browser that joins a sale with its pass, so that one wait in a room
/// is worth one place in the sale.
public final class PassOwners {
  private final OwnPassScript script;
  private final KeyRing keys;

  PassOwners(RedisClient redis, KeyRing keys) {
    this.script = new OwnPassScript(redis);
    this.keys = keys;
  }

  /// Whether the visit belongs to this browser; false after its end. The owner is kept for as long
  /// as a pass can be valid; a repeat has the same result.
  public Future<Boolean> own(Room room, RoomClaims pass, DeviceId device) {
    String browser = keys.fingerprint("room-browser", room.id() + '|' + device.value());
    return script.run(room.id(), pass, browser);
  }

  /// Calls `own_pass.lua`, which gives a visit to the first browser that joins a sale with its
  /// pass.
  static final class OwnPassScript {
    private static final LuaScript SCRIPT = LuaScript.load(OwnPassScript.class, "own_pass.lua");

    private final RedisClient redis;

    OwnPassScript(RedisClient redis) {
      this.redis = redis;
    }

    /// Whether the visit belongs to the browser; false after its end. A repeat has the same result.
    ///
    /// @param browser hash of the browser
    Future<Boolean> run(String room, RoomClaims pass, String browser) {
      RoomStateKeys keys = new RoomStateKeys(room);
      return redis
          .run(
              SCRIPT,
              List.of(keys.state()),
              List.of(
                  keys.prefix(),
                  Long.toString(pass.epoch()),
                  Long.toString(pass.ticket()),
                  browser,
                  Long.toString(Room.ABSOLUTE_SESSION.toMillis())))
          .map(reply -> reply.number() == 1);
    }
  }
}
