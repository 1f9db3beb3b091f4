package fairgate.room;

import fairgate.kernel.Ids;
import fairgate.kernel.OrderDraws;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.BlockingWork;
import fairgate.room.RoomFeature.RoomMeters;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves all rooms forward and keeps their heads fresh, on every node. Each run decides by the
/// state that it finds in Redis, so runs of several nodes do no harm, and nothing is lost with a
/// node.
public final class RoomLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoomLoop.class);
  private static final long TICK_MS = 100;
  private static final Duration HEAD_INTERVAL = Duration.ofMillis(950);
  private static final int MAX_ADMITTED = 500;
  private static final int MAX_REVOKED = 1_000;

  /// Ticks between two looks at the head, and between two runs of a room that is off.
  private static final int HEAD_TICKS = 3;

  private static final int OFF_TICKS = 10;

  private final Vertx vertx;
  private final Rooms rooms;
  private final Scripts scripts;
  private final HeadWriter writer;
  private final Clock clock;
  private final Ids ids;
  private final RoomMeters meters;
  private final Map<String, Runner> runners = new ConcurrentHashMap<>();
  private Consumer<Room> headListener = _ -> {};
  private OrderDraws orders = _ -> new OrderDraws.State.Announcing();
  private long timer = -1;
  private long ticks;

  record Scripts(
      RedisClient redis,
      AdvanceRoomScript advance,
      ReadHeadScript head,
      SweepRoomScript sweep,
      DrawRoomScript draw) {
    static Scripts on(RedisClient redis, RoomFeature.Config config) {
      return new Scripts(
          redis,
          new AdvanceRoomScript(redis, config),
          new ReadHeadScript(redis),
          new SweepRoomScript(redis),
          new DrawRoomScript(redis));
    }
  }

  RoomLoop(
      Vertx vertx,
      Rooms rooms,
      Scripts scripts,
      HeadWriter writer,
      Clock clock,
      Ids ids,
      RoomMeters meters) {
    this.vertx = vertx;
    this.rooms = rooms;
    this.scripts = scripts;
    this.writer = writer;
    this.clock = clock;
    this.ids = ids;
    this.meters = meters;
  }

  /// Is told of each head that this node has made. Called before the start.
  void onHead(Consumer<Room> listener) {
    headListener = listener;
  }

  /// What draws the orders of rooms with `pre_queue` `draw`. Called before the start.
  void drawBy(OrderDraws draws) {
    orders = draws;
  }

  /// Starts the runs. Called once.
  public void start() {
    timer = vertx.setPeriodic(TICK_MS, _ -> tick());
  }

  public RoomNode node(String room) {
    return runner(room, rooms.firstEpoch(room)).node;
  }

  /// A room that was deleted and created again is another room.
  private Runner runner(String room, long firstEpoch) {
    Runner present = runners.get(room);
    return present != null && present.firstEpoch == firstEpoch
        ? present
        : runners.compute(
            room,
            (id, known) ->
                known != null && known.firstEpoch == firstEpoch
                    ? known
                    : new Runner(id, firstEpoch));
  }

  private Runner runner(PostgresRooms.Stored stored) {
    return runner(stored.room().id(), stored.firstEpoch());
  }

  void tick() {
    ticks++;
    for (PostgresRooms.Stored stored : rooms.stored()) {
      Runner runner = runner(stored);
      boolean off = stored.room().mode() == Room.Mode.OFF;
      if (!off
          || ticks % OFF_TICKS == 0
          || runner.node.phase() != Room.Phase.OFF
          || runner.node.isBehind(stored.room().version())) {
        runner.advance(stored);
      }
      if (ticks % (off ? OFF_TICKS : HEAD_TICKS) == 0) {
        runner.readHead(stored.room());
      }
    }
    if (ticks % OFF_TICKS == 0) {
      runners.keySet().removeIf(id -> rooms.find(id).isEmpty());
    }
  }

  /// Moves the room now; for tests.
  Future<Void> advanceNow(String room) {
    for (PostgresRooms.Stored stored : rooms.stored()) {
      if (stored.room().id().equals(room)) {
        Runner runner = runner(stored);
        return runner.run(stored).compose(_ -> runner.takeHead(stored.room()));
      }
    }
    return Future.succeededFuture();
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
  }

  private final class Runner {
    private final RoomStateKeys keys;
    private final RoomNode node;
    private final long firstEpoch;
    private volatile boolean isAdvancing;
    private volatile boolean isReading;
    private volatile boolean isNoting;
    private String lastRevoked = "";
    private volatile OrderDraws.State.@Nullable Waiting awaited;
    private volatile long begun;
    private long epoch;

    Runner(String room, long firstEpoch) {
      this.firstEpoch = firstEpoch;
      this.keys = new RoomStateKeys(room);
      this.node = new RoomNode(room, clock.millis());
    }

    void advance(PostgresRooms.Stored stored) {
      if (isAdvancing) {
        return;
      }
      isAdvancing = true;
      run(stored)
          .onFailure(e -> LOG.debug("A room could not be advanced; room={}", keys.room(), e))
          .onComplete(_ -> isAdvancing = false);
    }

    Future<Void> run(PostgresRooms.Stored stored) {
      return scripts
          .advance()
          .run(stored, MAX_ADMITTED)
          .compose(
              run ->
                  switch (run) {
                    case AdvanceRoomScript.Run.Stale(), AdvanceRoomScript.Run.Deleting() ->
                        Future.succeededFuture();
                    case AdvanceRoomScript.Run.Lost() ->
                        BlockingWork.call(
                            "room-lost",
                            () -> {
                              rooms.lost(stored.room());
                              return null;
                            });
                    case AdvanceRoomScript.Run.Moved moved -> moved(stored, moved);
                  });
    }

    private Future<Void> moved(PostgresRooms.Stored stored, AdvanceRoomScript.Run.Moved run) {
      if (stored.room().epoch() != epoch) {
        epoch = stored.room().epoch();
        node.epochBegun();
      }
      node.moved(run, stored.room().version(), clock.millis());
      meters.moved(keys.room(), run);
      Future<Void> rest = Future.succeededFuture();
      if (stored.mayCreate() && begun < stored.room().epoch() && !isNoting) {
        noteBegun(stored.room());
      }
      awaited = null;
      if (run.toDraw() > 0) {
        rest = rest.compose(_ -> draw(stored.room(), run));
      }
      if (run.sweep() > 0) {
        rest = rest.compose(_ -> sweep(run, run.oldest() / GoneTickets.BLOCK));
      }
      if (!run.revoked().equals(lastRevoked)) {
        rest = rest.compose(_ -> readRevoked(run.revoked()));
      }
      return run.more() ? rest.compose(_ -> run(stored)) : rest;
    }

    /// Repeated until PostgreSQL knows: else it would let a state that Redis loses be created again
    /// in the same epoch. The room goes on meanwhile.
    private void noteBegun(Room room) {
      isNoting = true;
      BlockingWork.call(
              "room-begun",
              () -> {
                rooms.begun(room);
                begun = room.epoch();
                return null;
              })
          .onFailure(e -> LOG.debug("A new epoch could not be noted; room={}", room.id(), e))
          .onComplete(_ -> isNoting = false);
    }

    private Future<Void> draw(Room room, AdvanceRoomScript.Run.Moved run) {
      int tickets = run.toDraw();
      long sealedEpoch = run.sealedEpoch();
      if (room.opening().preQueue() != Room.PreQueue.DRAW) {
        return scripts
            .draw()
            .draw(keys, new DrawRoomScript.Draw(tickets, sealedEpoch, seed(), false));
      }
      return switch (orders.of(new OrderDraws.Sealed(room.id(), sealedEpoch, tickets))) {
        case OrderDraws.State.Announcing() -> Future.succeededFuture();
        case OrderDraws.State.Waiting waiting -> {
          awaited = waiting;
          yield waiting.tickets() > run.tickets()
              ? scripts.draw().keepNumber(keys, waiting.tickets(), sealedEpoch)
              : Future.succeededFuture();
        }
        case OrderDraws.State.Decided(int announced, String seed) ->
            scripts.draw().draw(keys, new DrawRoomScript.Draw(announced, sealedEpoch, seed, true));
      };
    }

    /// 32 unpredictable bytes.
    private String seed() {
      Base64.Decoder decoder = Base64.getUrlDecoder();
      HexFormat hex = HexFormat.of();
      return hex.formatHex(decoder.decode(ids.nonce()))
          + hex.formatHex(decoder.decode(ids.nonce()));
    }

    private Future<Void> sweep(AdvanceRoomScript.Run.Moved run, long block) {
      if (block * GoneTickets.BLOCK >= run.tickets()) {
        return Future.succeededFuture();
      }
      return scripts
          .sweep()
          .run(keys, run.sweep(), block)
          .onSuccess(absent -> meters.absent(keys.room(), absent))
          .compose(_ -> sweep(run, block + 1));
    }

    private Future<Void> readRevoked(String newest) {
      String from = lastRevoked.isEmpty() ? "-" : "(" + lastRevoked;
      return scripts
          .redis()
          .send("XRANGE", keys.revoked(), from, "+", "COUNT", Integer.toString(MAX_REVOKED))
          .map(
              reply -> {
                List<Long> tickets = new ArrayList<>(reply.size());
                for (int i = 0; i < reply.size(); i++) {
                  RedisReply entry = reply.at(i);
                  tickets.add(Long.parseLong(entry.at(1).textAt(1)));
                  lastRevoked = entry.textAt(0);
                }
                if (reply.size() < MAX_REVOKED) {
                  lastRevoked = newest;
                }
                node.revoke(tickets, clock.millis());
                return null;
              });
    }

    void readHead(Room room) {
      if (isReading) {
        return;
      }
      isReading = true;
      takeHead(room).onFailure(e -> tellStale(room)).onComplete(_ -> isReading = false);
    }

    private Future<Void> takeHead(Room room) {
      return scripts
          .head()
          .run(keys, HEAD_INTERVAL)
          .compose(
              read ->
                  switch (read) {
                    case ReadHeadScript.Read.Missing() -> Future.succeededFuture();
                    case ReadHeadScript.Read.Present(byte[] bytes) -> {
                      node.head(bytes);
                      yield Future.succeededFuture();
                    }
                    case ReadHeadScript.Read.Due(HeadFacts facts) -> {
                      byte[] bytes = writer.write(room, facts, awaited);
                      node.head(bytes);
                      yield scripts
                          .head()
                          .keep(keys, bytes)
                          .onSuccess(_ -> headListener.accept(room));
                    }
                  });
    }

    /// Redis is away: the last head goes on, and says so.
    private void tellStale(Room room) {
      byte[] last = node.headBytes();
      if (last.length > 0 && node.isCutOff(clock.millis())) {
        node.head(writer.stale(room, last));
      }
    }
  }

  /// Calls `sweep_room.lua`, which marks absent tickets as gone.
  record SweepRoomScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(SweepRoomScript.class, "sweep_room.lua");

    /// The number of tickets of the block that were found absent.
    Future<Long> run(RoomStateKeys keys, long period, long block) {
      return redis
          .run(
              SCRIPT,
              List.of(keys.state(), keys.scratch()),
              List.of(keys.prefix(), Long.toString(period), Long.toString(block)))
          .map(reply -> reply.number());
    }
  }
}
