package fairgate.draw;

import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.draw.Draws.DatabaseClock;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.store.HouseNotes;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.kernel.Role;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Feature.Infra;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.Batcher;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.sale.SaleFeature;
import fairgate.sale.deposit.DepositFeature;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Draws, put together: their API, their public record, their pages, the page that checks a draw,
/// and their part of the admin API.
public final class DrawFeature {
  private static final int MAX_BATCH = 1_000;

  private static final int NOTED_DAYS = 14;

  private DrawFeature() {}

  /// Connects draws to the sales whose places they give, to the deposits of those who enter, and to
  /// the waiting rooms whose order they decide. Loads the draws; blocks.
  ///
  /// @param rooms gets what draws the orders of waiting rooms
  /// @param policySteps the next steps of the risk policy after an id, oldest first
  /// @return its service tells whether a buyer may pay a deposit to enter
  public static Feature start(
      Infra infra,
      Catalog catalog,
      Buyers buyers,
      QueueFeature queue,
      SaleFeature sale,
      Consumer<OrderDraws> rooms,
      LongFunction<List<HouseNotes.Step>> policySteps) {
    Config config = infra.settings(DrawSettings.class).config(infra.site());
    DrawKeys keys = new DrawKeys(infra.keys(), config.logName());
    DrawLogs logs = new DrawLogs(infra.postgres(), keys::signer);
    logs.create(keys.houseOrigin());
    DatabaseClock clock = new DatabaseClock(infra.clock());
    Stores stores = Stores.on(infra.postgres(), logs, keys, clock);
    Draws draws = Draws.open(stores.draws(), clock);
    AtomicBoolean isRoomAwaiting = new AtomicBoolean();
    PublicRecord published =
        PublicRecord.of(
            config.witnesses(),
            draws,
            keys,
            stores,
            isRoomAwaiting,
            infra,
            new HouseNotes.Sources(() -> infra.audit().closedDays(NOTED_DAYS), policySteps));
    BeaconSources sources = new BeaconSources(config.beaconUrls());
    Predicate<ProductId> isOpen =
        id -> catalog.find(id).filter(it -> it.isOpen(clock.instant())).isPresent();
    DrawAllocation allocation =
        new DrawAllocation(stores, queue.service().winners(), keys, isOpen, clock);
    DrawCourse course =
        new DrawCourse(stores, keys, published::proof, allocation, config.patience(), clock);
    DrawEntries entries = entries(infra, stores, keys, queue.service(), clock);
    DrawService service =
        new DrawService(
            draws,
            stores,
            keys,
            entries,
            catalog,
            new DrawService.Settings(config, new LiveUnits(sale), clock));
    PostgresRoomDraws roomDraws =
        new PostgresRoomDraws(
            infra.postgres(),
            logs,
            keys.houseOrigin(),
            new PostgresRoomDraws.Terms(
                config.chains().first(), config.roomMargin(), config.witnesses()));
    RoomDraws ofRooms =
        new RoomDraws(
            roomDraws, logs, published::proof, sources, isRoomAwaiting, clock, config.pass());
    DrawLoop loop =
        new DrawLoop(draws, stores.draws(), course, sources, infra.ids().nonce(), config.pass());
    measure(infra.metrics(), draws, ofRooms);
    rooms.accept(ofRooms);
    return new Feature(
        Stream.of(
                new DrawRoutes(draws, entries, stores, keys, catalog, buyers).routes(),
                new BeaconRoutes(draws, new SubmittedRounds(draws, course, ofRooms, config, clock))
                    .routes(),
                new RoomDrawRoutes(roomDraws, published.records().logKey()).routes(),
                published.routes(),
                new DrawPages(draws, published.records(), infra.site().pages()).routes(),
                new DrawVerifierPage().routes(),
                new DrawAdmin(draws, service).routes(new AdminGuard(infra.audit())))
            .flatMap(List::stream)
            .toList(),
        List.of(),
        List.of(new Feature.ConsoleSection("draws", "d", Role.VIEWER)),
        _ -> {},
        () -> {
          logs.start();
          published.start();
          loop.start();
          ofRooms.start();
        },
        () -> {
          ofRooms.close();
          loop.close();
          published.close();
          logs.close();
          draws.close();
          sources.close();
        },
        check(catalog, draws, entries));
  }

  private static DrawEntries entries(
      Infra infra, Stores stores, DrawKeys keys, QueueService queue, Clock clock) {
    return new DrawEntries(
        new DrawEntries.Stores(
            new EnterDrawScript(infra.redis()),
            stores.entries(),
            // One batch at a time: a second one would wait for the lock of the log.
            Batcher.blocking("draw-entries", MAX_BATCH, 1, stores.entries()::add)),
        keys,
        queue,
        clock);
  }

  /// Why a buyer cannot enter the open draw of a sale.
  private static DepositFeature.EntryCheck check(
      Catalog catalog, Draws draws, DrawEntries entries) {
    return (product, device, user) ->
        catalog
            .find(product)
            .filter(Product::isByDraw)
            .flatMap(_ -> draws.ofProduct(product))
            .filter(draw -> draw.state() == Draw.State.OPEN)
            .map(draw -> entries.refusal(draw, device, user))
            .orElseGet(() -> Future.succeededFuture(Optional.empty()));
  }

  private static void measure(Metrics metrics, Draws draws, RoomDraws rooms) {
    metrics.gauge(
        "fairgate_room_draw_late_seconds",
        "Time for which the round of a room's draw is overdue",
        rooms::lateSeconds);
    metrics.gauge(
        "fairgate_draw_late_seconds",
        "Time for which the round of a draw of a sale is overdue",
        draws::lateSeconds);
  }

  /// What the settings mean.
  ///
  /// @param logName name of the logs of this installation, such as `shop.example/fairgate`
  /// @param chains the beacon chains of new draws
  /// @param beaconUrls addresses of drand's HTTP API, in the order in which they are asked
  /// @param zone default time zone of the hours at which offers may end
  /// @param patience time after a beacon round before its fallback round decides
  /// @param witnesses of the house log, and how many must cosign
  /// @param roomMargin time between the announcement of a room's draw and its beacon round
  /// @param pass interval between the steps of a draw
  record Config(
      String logName,
      Draw.Chains chains,
      List<String> beaconUrls,
      ZoneId zone,
      Duration patience,
      Witnesses.Config witnesses,
      Duration roomMargin,
      Duration pass) {
    Config {
      beaconUrls = List.copyOf(beaconUrls);
    }

    BeaconChain chain() {
      return chains.first().isEmpty() ? BeaconChain.QUICKNET : Draw.Chains.parse(chains.first());
    }

    Optional<BeaconChain> secondChain() {
      return chains.second().isEmpty()
          ? Optional.empty()
          : Optional.of(Draw.Chains.parse(chains.second()));
    }
  }

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
