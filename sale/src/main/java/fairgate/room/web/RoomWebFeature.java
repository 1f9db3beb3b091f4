package fairgate.room.web;

import fairgate.catalog.Catalog;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.kernel.Role;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Feature.Infra;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.queue.JoinGate;
import fairgate.queue.JoinGate.Entrance;
import fairgate.queue.QueueFeature;
import fairgate.room.RoomFeature;
import fairgate.room.check.GateCheckRoutes;
import fairgate.room.check.NodeRoomStates;
import fairgate.room.check.SaleEntrance;
import io.vertx.core.Future;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/// Waiting rooms, put together: their API, their pages, the check of proxies, and the admin API.
public final class RoomWebFeature {
  private RoomWebFeature() {}

  /// Connects rooms to the sales behind them: to their stock, and as the entrance to their joins.
  ///
  /// @param joins the checks of a join, which are those of tickets too
  /// @param entrance to the joins of all sales, which becomes that of rooms
  public static Feature start(
      Infra infra,
      Catalog catalog,
      QueueFeature queue,
      JoinGate joins,
      AtomicReference<Entrance> entrance,
      OrderDraws draws) {
    RoomFeature rooms =
        RoomFeature.wire(
            RoomFeature.Config.defaults(),
            infra,
            joins,
            sale -> stock(sale, catalog, queue.service().keys(sale), infra.redis()),
            draws);
    NodeRoomStates states = new NodeRoomStates(rooms, infra.clock());
    entrance.set(new SaleEntrance(states, rooms.tokens(), infra.clock()));
    return new Feature(
        Stream.of(
                rooms.routes(),
                new GateCheckRoutes(states, rooms.tokens(), infra.clock(), infra.metrics())
                    .routes(),
                new RoomPages(rooms, infra.site().pages(), infra.clock()).routes(),
                new RoomAdmin(rooms).routes(new AdminGuard(infra.audit())))
            .flatMap(List::stream)
            .toList(),
        List.of(),
        List.of(new Feature.ConsoleSection("rooms", "r", Role.VIEWER)),
        _ -> {},
        rooms::start,
        rooms::close);
  }

  /// The free units and those that are planned: who waits long can still buy them.
  private static Future<OptionalLong> stock(
      ProductId sale, Catalog catalog, SaleKeys keys, RedisClient redis) {
    int total = catalog.find(sale).map(product -> product.details().totalStock()).orElse(0);
    return Future.all(redis.send("GET", keys.stock()), redis.send("HGET", keys.sale(), "released"))
        .map(
            both -> {
              RedisReply free = both.resultAt(0);
              RedisReply released = both.resultAt(1);
              return free.isNil() || released.isNil()
                  ? OptionalLong.empty()
                  : OptionalLong.of(free.number() + Math.max(0, total - released.number()));
            });
  }
}
