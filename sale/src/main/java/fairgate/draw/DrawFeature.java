package fairgate.draw;

import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.SaleKeys;
import fairgate.draw.Draws.DatabaseClock;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.store.HouseNotes;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.Batcher;
import fairgate.queue.QueueService;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The wiring of draws.
public record DrawFeature(
    Draws draws,
    DrawService service,
    DrawEntries entries,
    PostgresResults results,
    DrawLogs logs,
    DrawKeys keys,
    DrawLoop loop,
    List<Route> routes,
    BeaconSources sources,
    PublicRecord published,
    RoomDraws rooms)
    implements AutoCloseable {
  /// Entries of one transaction.
  private static final int MAX_BATCH = 1_000;

  public DrawFeature {
    routes = List.copyOf(routes);
  }

  /// The dependencies of draws.
  ///
  /// @param node name of this node
  /// @param notes what else becomes leaves of the house log
  public record Dependencies(
      RedisClient redis,
      SaleKeys.Style style,
      PostgresDatabase database,
      KeyRing keys,
      Clock clock,
      String node,
      Catalog catalog,
      Buyers buyers,
      QueueService queue,
      DrawService.SaleUnits units,
      HouseNotes.Sources notes,
      Metrics metrics) {}

  /// Builds draws and loads them; blocks. `start` starts them.
  public static DrawFeature wire(Config config, Dependencies parts) {
    DrawKeys keys = new DrawKeys(parts.keys(), config.logName());
    DrawLogs logs = new DrawLogs(parts.database(), keys::signer);
    logs.create(keys.houseOrigin());
    DatabaseClock clock = new DatabaseClock(parts.clock());
    Stores stores = Stores.on(parts.database(), logs, keys, clock);
    Draws draws = Draws.open(stores.draws(), clock);
    AtomicBoolean isRoomAwaiting = new AtomicBoolean();
    PublicRecord published =
        PublicRecord.of(config.witnesses(), draws, keys, stores, isRoomAwaiting, parts);
    BeaconSources sources = new BeaconSources(config.beaconUrls());
    Predicate<ProductId> isOpen =
        id -> parts.catalog().find(id).filter(it -> it.isOpen(clock.instant())).isPresent();
    DrawAllocation allocation =
        new DrawAllocation(stores, parts.queue().winners(), keys, isOpen, clock);
    DrawCourse course =
        new DrawCourse(stores, keys, published::proof, allocation, config.patience(), clock);
    DrawEntries entries =
        new DrawEntries(
            new DrawEntries.Stores(
                new EnterDrawScript(parts.redis()),
                stores.entries(),
                // One batch at a time: a second one would wait for the lock of the log.
                Batcher.blocking("draw-entries", MAX_BATCH, 1, stores.entries()::add)),
            keys,
            parts.queue(),
            parts.style(),
            clock);
    DrawService service =
        new DrawService(
            draws,
            stores,
            keys,
            entries,
            parts.catalog(),
            new DrawService.Settings(config, parts.units(), clock));
    PostgresRoomDraws roomDraws =
        new PostgresRoomDraws(
            parts.database(),
            logs,
            keys.houseOrigin(),
            new PostgresRoomDraws.Terms(
                config.chains().first(), config.roomMargin(), config.witnesses()));
    RoomDraws rooms =
        new RoomDraws(
            roomDraws, logs, published::proof, sources, isRoomAwaiting, clock, config.pass());
    parts
        .metrics()
        .gauge(
            "fairgate_room_draw_late_seconds",
            "Time for which the round of a room's draw is overdue",
            rooms::lateSeconds);
    parts
        .metrics()
        .gauge(
            "fairgate_draw_late_seconds",
            "Time for which the round of a draw of a sale is overdue",
            draws::lateSeconds);
    DrawRoutes routes =
        new DrawRoutes(draws, entries, stores, keys, parts.catalog(), parts.buyers());
    BeaconRoutes beacons =
        new BeaconRoutes(draws, new SubmittedRounds(draws, course, rooms, config, clock));
    RoomDrawRoutes roomRoutes = new RoomDrawRoutes(roomDraws, published.records().logKey());
    return new DrawFeature(
        draws,
        service,
        entries,
        stores.results(),
        logs,
        keys,
        new DrawLoop(draws, stores.draws(), course, sources, parts.node(), config.pass()),
        Stream.of(routes.routes(), beacons.routes(), roomRoutes.routes())
            .flatMap(List::stream)
            .toList(),
        sources,
        published,
        rooms);
  }

  /// Starts to sign the logs and to move the draws.
  public void start() {
    logs.start();
    published.start();
    loop.start();
    rooms.start();
  }

  @Override
  public void close() {
    rooms.close();
    loop.close();
    published.close();
    logs.close();
    draws.close();
    sources.close();
  }

  /// Settings of draws.
  ///
  /// @param logName name of the logs of this installation, such as `shop.example/fairgate`
  /// @param chains the beacon chains of new draws
  /// @param beaconUrls addresses of drand's HTTP API, in the order in which they are asked
  /// @param zone default time zone of the hours at which offers may end
  /// @param patience time after a beacon round before its fallback round decides
  /// @param witnesses of the house log, and how many must cosign
  /// @param roomMargin time between the announcement of a room's draw and its beacon round
  /// @param pass interval between the steps of a draw
  public record Config(
      String logName,
      Draw.Chains chains,
      List<String> beaconUrls,
      ZoneId zone,
      Duration patience,
      Witnesses.Config witnesses,
      Duration roomMargin,
      Duration pass) {
    public Config {
      beaconUrls = List.copyOf(beaconUrls);
    }

    /// The chain of new draws.
    BeaconChain chain() {
      return chains.first().isEmpty() ? BeaconChain.QUICKNET : Draw.Chains.parse(chains.first());
    }

    /// The chain of the second beacon of new draws.
    Optional<BeaconChain> secondChain() {
      return chains.second().isEmpty()
          ? Optional.empty()
          : Optional.of(Draw.Chains.parse(chains.second()));
    }
  }

  /// Everything that draws keep in PostgreSQL.
  record Stores(
      PostgresDraws draws,
      PostgresEntries entries,
      PostgresResults results,
      PostgresOffers offers,
      DrawLogs logs) {
    static Stores on(PostgresDatabase database, DrawLogs logs, DrawKeys keys, Clock clock) {
      return new Stores(
          new PostgresDraws(database),
          new PostgresEntries(database, logs, keys, clock),
          new PostgresResults(database),
          new PostgresOffers(database),
          logs);
    }
  }
}
