package fairgate.room;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.queue.JoinGate;
import fairgate.room.token.ReturnUrls;
import fairgate.room.token.RoomKeys;
import fairgate.room.token.RoomTokens;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import java.util.OptionalLong;
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
    PassOwners owners,
    TicketCallers callers,
    DeletedRooms deleted,
    List<Route> routes)
    implements AutoCloseable {
  public RoomFeature {
    routes = List.copyOf(routes);
  }

  /// The dependencies of the rooms.
  ///
  /// @param gate the checks of a join, as for sales
  /// @param saleStock the units of a sale that are left, with planned ones; empty for an unknown
  ///   sale
  /// @param issuer the `iss` of all tokens; the same on all nodes
  public record Dependencies(
      Vertx vertx,
      RedisClient redis,
      PostgresDatabase database,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics,
      JoinGate gate,
      Function<ProductId, Future<OptionalLong>> saleStock,
      String issuer) {}

  /// Builds the rooms and loads them; blocks. `start()` starts them.
  public static RoomFeature wire(RoomConfig config, Dependencies parts) {
    Rooms rooms = Rooms.open(parts.database(), config.draw());
    RoomKeys keys = new RoomKeys(parts.keys());
    RoomTokens tokens = new RoomTokens(keys, parts.issuer());
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
    RoomPlaces places =
        new RoomPlaces(loop, tokens, parts.redis(), parts.gate(), parts.keys(), context);
    RoomService service =
        new RoomService(
            rooms, loop, places, tokens, RoomService.Scripts.on(parts.redis(), config), context);
    RoomStock stock = new RoomStock(parts.redis(), parts.saleStock());
    loop.onHead(stock::follow);
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
        new PassOwners(parts.redis(), parts.keys()),
        new TicketCallers(rooms, places),
        new DeletedRooms(parts.database(), parts.redis()),
        routes.routes());
  }

  /// The address at which a turn is exchanged: on the host of the target, where the cookie belongs.
  public String passUrl(Room room, String target, String turn) {
    return RoomRoutes.passUrl(returnUrls, room, target, turn);
  }

  /// What draws the orders of rooms with `pre_queue` `draw`. Called before the start.
  public void drawBy(OrderDraws draws) {
    loop.drawBy(draws);
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
}
