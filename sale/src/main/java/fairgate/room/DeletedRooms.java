package fairgate.room;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.PeriodicJob;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Deletes what Redis has of deleted rooms, on every node: at most 100 rooms in one pass, and 400
/// blocks of tickets of each. PostgreSQL remembers a deleted room until nothing is left, so neither
/// a crash nor an outage leaves keys for ever.
final class DeletedRooms implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeletedRooms.class);
  private static final Duration EVERY = Duration.ofSeconds(10);
  private static final int MAX_ROOMS = 100;
  private static final long ANSWER_SECONDS = 10;

  private final PostgresRooms store;
  private final DeleteRoomScript script;
  private final PeriodicJob job = new PeriodicJob("deleted-rooms", EVERY, this::pass);

  DeletedRooms(PostgresDatabase database, RedisClient redis) {
    this.store = new PostgresRooms(database);
    this.script = new DeleteRoomScript(redis);
  }

  void start() {
    job.start();
  }

  /// One pass; blocks. A repeat has no further effect.
  void pass() {
    try {
      for (PostgresRooms.Deleted room :
          store.deleted(MAX_ROOMS).await(ANSWER_SECONDS, TimeUnit.SECONDS)) {
        if (job.isStopping()) {
          return;
        }
        Void _ = delete(room).await(ANSWER_SECONDS, TimeUnit.SECONDS);
      }
    } catch (TimeoutException e) {
      LOG.warn("Keys of deleted rooms could not be deleted; retrying in {}", EVERY, e);
    }
  }

  private Future<Void> delete(PostgresRooms.Deleted room) {
    return script
        .run(room)
        .compose(
            word ->
                switch (word) {
                  case DELETED, IN_USE -> store.forget(room);
                  case MORE -> Future.succeededFuture();
                });
  }

  @Override
  public void close() {
    job.close();
  }

  /// Calls `delete_room.lua`, which deletes the keys of a deleted room.
  record DeleteRoomScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(DeleteRoomScript.class, "delete_room.lua");

    enum Word {
      DELETED,
      MORE,
      IN_USE
    }

    /// One run, which deletes at most 400 blocks of tickets.
    Future<Word> run(PostgresRooms.Deleted room) {
      RoomStateKeys keys = new RoomStateKeys(room.id());
      return redis
          .run(SCRIPT, List.of(keys.state()), List.of(keys.prefix(), Long.toString(room.epoch())))
          .map(reply -> Word.valueOf(reply.text()));
    }
  }
}
