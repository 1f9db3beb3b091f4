package fairgate.room;

import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.platform.feature.Feature.Infra;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.queue.JoinGate;
import fairgate.room.token.ReturnUrls;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomKeys;
import fairgate.room.token.RoomTokens;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// The wiring of waiting rooms.
public record RoomFeature(
    Rooms rooms,
    RoomService service,
    RoomPlaces places,
    RoomLoop loop,
    RoomTokens tokens,
    RoomKeys keys,
    ReturnUrls returnUrls,
    RoomStock stock,
    OwnPassScript owners,
    DeletedRooms deleted,
    List<Route> routes)
    implements AutoCloseable {
  public RoomFeature {
    routes = List.copyOf(routes);
  }

  /// Builds the rooms and loads them; blocks. `start()` starts them.
  ///
  /// @param gate the checks of a join, as for sales
  /// @param saleStock the units of a sale that are left, with planned ones; empty for an unknown
  ///   sale
  /// @param draws what draws the orders of rooms with `pre_queue` `draw`
  public static RoomFeature wire(
      Config config,
      Infra parts,
      JoinGate gate,
      Function<ProductId, Future<OptionalLong>> saleStock,
      OrderDraws draws) {
    Rooms rooms = Rooms.open(parts.postgres(), draws::margin);
    RoomKeys keys = new RoomKeys(parts.keys());
    String issuer = parts.site().signInUrl();
    RoomTokens tokens = new RoomTokens(keys, issuer.isEmpty() ? "fairgate" : issuer);
    ReturnUrls returnUrls = new ReturnUrls(parts.keys());
    RoomLoop loop =
        new RoomLoop(
            parts.vertx(),
            rooms,
            RoomLoop.Scripts.on(parts.redis(), config),
            new HeadWriter(tokens),
            parts.clock(),
            parts.ids(),
            new RoomMeters(parts.metrics()));
    RoomService.Context context = new RoomService.Context(config, parts.ids(), parts.clock());
    RoomPlaces places = new RoomPlaces(loop, tokens, parts.redis(), gate, parts.keys(), context);
    RoomService service =
        new RoomService(
            rooms, loop, places, tokens, RoomService.Scripts.on(parts.redis(), config), context);
    RoomStock stock = new RoomStock(parts.redis(), saleStock);
    loop.onHead(stock::follow);
    loop.drawBy(draws);
    RoomRoutes routes =
        new RoomRoutes(service, places, loop, parts.redis(), tokens, returnUrls, parts.clock());
    return new RoomFeature(
        rooms,
        service,
        places,
        loop,
        tokens,
        keys,
        returnUrls,
        stock,
        new OwnPassScript(parts.redis(), parts.keys()),
        new DeletedRooms(parts.postgres(), parts.redis()),
        routes.routes());
  }

  /// Moves the rooms from now on. Called once.
  public void start() {
    loop.start();
    deleted.start();
  }

  @Override
  public void close() {
    deleted.close();
    loop.close();
    rooms.close();
  }

  /// The metrics of the rooms. Their label is the room's id; there are at most [Rooms#MAX_ROOMS].
  static final class RoomMeters {
    private final Metrics metrics;
    private final Map<String, Meters> rooms = new ConcurrentHashMap<>();

    RoomMeters(Metrics metrics) {
      this.metrics = metrics;
    }

    private final class Meters {
      private final Counter admitted;
      private final Counter absent;
      private volatile long waiting;
      private volatile long inside;

      Meters(String room) {
        admitted =
            metrics.counter(
                "fairgate_room_admitted_total", "Tickets whose turn has come", "room", room);
        absent =
            metrics.counter(
                "fairgate_room_absent_total", "Tickets that ended by absence", "room", room);
        metrics.gauge(
            "fairgate_room_waiting", "Tickets behind the cursor", () -> waiting, "room", room);
        metrics.gauge(
            "fairgate_room_inside",
            "Visitors inside and reserved slots",
            () -> inside,
            "room",
            room);
      }
    }

    void moved(String room, AdvanceRoomScript.Run.Moved run) {
      Meters meters = of(room);
      meters.admitted.increment(run.admitted());
      meters.waiting = run.tickets() - run.cursor();
      meters.inside = (long) run.inside() + run.reserved();
    }

    void absent(String room, long tickets) {
      of(room).absent.increment((double) tickets);
    }

    private Meters of(String room) {
      return rooms.computeIfAbsent(room, Meters::new);
    }
  }

  /// Times that are equal for all rooms.
  ///
  /// @param period of presence: a visitor that was not seen in a whole period, nor in the two
  ///   before it, has left. Three of them make ten minutes at least
  /// @param showUp how long the slot of a visitor whose turn has come is kept
  /// @param idle how long nobody may wait before standby ends
  /// @param turn how long a turn is valid
  /// @param place how long a place token is valid, from now or the opening on
  public record Config(
      Duration period, Duration showUp, Duration idle, Duration turn, Duration place) {
    public static Config defaults() {
      return new Config(
          Duration.ofMinutes(5),
          Duration.ofSeconds(45),
          Duration.ofSeconds(60),
          Duration.ofSeconds(120),
          Duration.ofHours(24));
    }
  }

  /// Calls `own_pass.lua`, which gives a visit to the first browser that joins a sale with its
  /// pass, so that one wait in a room is worth one place in the sale.
  public static final class OwnPassScript {
    private static final LuaScript SCRIPT = LuaScript.load(OwnPassScript.class, "own_pass.lua");

    private final RedisClient redis;
    private final KeyRing secrets;

    OwnPassScript(RedisClient redis, KeyRing secrets) {
      this.redis = redis;
      this.secrets = secrets;
    }

    /// Whether the visit belongs to this browser; false after its end. The owner is kept for as
    /// long as a pass can be valid; a repeat has the same result.
    public Future<Boolean> own(Room room, RoomClaims pass, DeviceId device) {
      String browser = secrets.fingerprint("room-browser", room.id() + '|' + device.value());
      return run(room.id(), pass, browser);
    }

    /// As [#own], for the hash of a browser.
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
