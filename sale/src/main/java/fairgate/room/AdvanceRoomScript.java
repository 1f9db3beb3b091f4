package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Calls `advance_room.lua`, which moves one room forward.
record AdvanceRoomScript(RedisClient redis, RoomFeature.Config config) {
  private static final LuaScript SCRIPT =
      LuaScript.load(AdvanceRoomScript.class, "advance_room.lua");

  sealed interface Run {
    /// Newer settings were applied by another node.
    record Stale() implements Run {}

    /// The keys of a deleted room with this id are being deleted; the next run goes on.
    record Deleting() implements Run {}

    record Lost() implements Run {}

    /// The room after the run.
    ///
    /// @param toDraw the number of tickets whose order is to be drawn; 0 for none
    /// @param sweep the period whose absences are to be looked for; 0 for none
    /// @param revoked the last entry of the revoked visits; may be empty
    /// @param oldest the oldest ticket that may be live: all below it are gone
    /// @param sealedEpoch the epoch in which the tickets to draw were sealed; 0 for none
    record Moved(
        Room.Phase phase,
        long cursor,
        long tickets,
        int admitted,
        int inside,
        int reserved,
        boolean more,
        int toDraw,
        long sweep,
        String revoked,
        long oldest,
        long sealedEpoch)
        implements Run {}
  }

  Future<Run> run(PostgresRooms.Stored stored, int max) {
    Room room = stored.room();
    RoomStateKeys keys = new RoomStateKeys(room.id());
    Room.Admission admission = room.admission();
    Room.Opening opening = room.opening();
    return redis
        .run(
            SCRIPT,
            keys.forAdvance(),
            List.of(
                keys.prefix(),
                Long.toString(room.version()),
                Long.toString(room.epoch()),
                stored.mayCreate() ? "1" : "0",
                room.mode().word(),
                Integer.toString(admission.capacity()),
                Double.toString(admission.rate()),
                admission.paused() ? "1" : "0",
                millis(opening.opensAt()),
                millis(opening.closesAt()),
                opening.preQueue() == Room.PreQueue.ARRIVAL ? "0" : "1",
                Long.toString(config.showUp().toMillis()),
                Long.toString(config.idle().toMillis()),
                Integer.toString(max),
                Long.toString(stored.firstEpoch())))
        .map(AdvanceRoomScript::run);
  }

  private static Run run(RedisReply reply) {
    return switch (reply.textAt(0)) {
      case "STALE" -> new Run.Stale();
      case "DELETING" -> new Run.Deleting();
      case "LOST" -> new Run.Lost();
      default ->
          new Run.Moved(
              Room.Phase.of(reply.textAt(1)),
              reply.at(2).number(),
              reply.at(3).number(),
              (int) reply.at(4).number(),
              (int) reply.at(5).number(),
              (int) reply.at(6).number(),
              reply.at(7).number() == 1,
              (int) reply.at(8).number(),
              reply.at(9).number(),
              reply.textAt(10),
              reply.at(11).number(),
              reply.at(12).number());
    };
  }

  private static String millis(@Nullable Instant time) {
    return time == null ? "0" : Long.toString(time.toEpochMilli());
  }
}
