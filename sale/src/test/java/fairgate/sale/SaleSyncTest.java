package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.TestEngines;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.InTransit;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Many sales whose units come on sale at one time.
@Tag("slow")
final class SaleSyncTest {
  private static final int SALES = 40;

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final Catalog catalog = Catalog.open(books.database());
  private final List<SaleWorld> worlds = Stream.generate(SaleWorld::unknown).limit(SALES).toList();
  private final SaleScripts scripts =
      SaleScripts.on(worlds.getFirst().redis(), SaleKeys.Style.PLAIN);
  private final CountDownLatch locked = new CountDownLatch(1);
  private final CountDownLatch letGo = new CountDownLatch(1);

  @AfterEach
  void close() {
    letGo.countDown();
    catalog.close();
    books.close();
  }

  private SaleSync node() {
    return node(rebuild(books.ledger()));
  }

  private SaleSync node(SaleRebuild rebuild) {
    return new SaleSync(catalog, new LiveSales(catalog), scripts, rebuild);
  }

  private SaleRebuild rebuild(Ledger ledger) {
    return new SaleRebuild(worlds.getFirst().redis(), scripts, ledger.view(), "node");
  }

  /// All are planned to open in an hour, with a second batch a minute later, and Redis knows them;
  /// then the hour has passed.
  private SaleSync atTheOpening() {
    Instant opens = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(3_600);
    SalePolicy preset = SalePolicy.Preset.QUEUE.policy();
    Schedule schedule =
        new Schedule(
            opens,
            null,
            List.of(new PlannedBatch(opens, 3), new PlannedBatch(opens.plusSeconds(60), 4)));
    SalePolicy policy =
        new SalePolicy(
            preset.preset(),
            preset.admission(),
            preset.limits(),
            preset.token(),
            preset.payment(),
            schedule,
            preset.fairness(),
            preset.priority());
    for (SaleWorld world : worlds) {
      Product.Details details = new Product.Details("a thing", "", new Money(100, "TWD"), 7, null);
      var _ = catalog.create(world.product(), details, policy, "test");
    }
    SaleSync sync = node();
    sync.round();
    assertThat(worlds)
        .allSatisfy(
            world -> assertThat(world.send("EXISTS", world.keys().sale()).number()).isOne());
    var _ =
        books.query("UPDATE products SET opens_at = opens_at - interval '2 hours' RETURNING id");
    var _ =
        books.query("UPDATE stock_batches SET due_at = due_at - interval '2 hours' RETURNING seq");
    return sync;
  }

  private static String stock(SaleWorld world) {
    return world.send("GET", world.keys().stock()).text();
  }

  @Test
  void salesThatOpenTogetherGetTheirUnitsInOneTransaction() {
    SaleSync sync = atTheOpening();
    node().round();
    assertThat(worlds).allSatisfy(world -> assertThat(stock(world)).isEqualTo("7"));
    // now() is the beginning of the transaction.
    assertThat(books.number("SELECT count(DISTINCT released_at) FROM stock_batches")).isOne();
    assertThat(
            books.number(
                "SELECT count(*) FROM stock_batches WHERE release_seq = seq AND released_at IS NOT"
                    + " NULL"))
        .isEqualTo(2L * SALES);
    assertThat(books.number("SELECT count(*) FROM sale_totals WHERE released = 7"))
        .isEqualTo(SALES);
    sync.round();
    assertThat(worlds).allSatisfy(world -> assertThat(stock(world)).isEqualTo("7"));
  }

  @Test
  void countersOfTheLastComparisonAreUsedWhileTheyAreRecent() {
    SaleSync sync = atTheOpening();
    sync.round();
    sync.verify();
    SaleWorld sold = worlds.getFirst();
    List<ProductId> ids = worlds.stream().map(SaleWorld::product).toList();
    sold.sent("HINCRBY", sold.keys().sale(), "joined", "1");
    assertThat(joined(sync, ids, Duration.ofHours(1))).as("as it was compared").isZero();
    assertThat(joined(sync, ids, Duration.ZERO)).as("read again").isOne();
    assertThat(joined(sync, ids, Duration.ofHours(1))).as("as it was read").isOne();
  }

  private static long joined(SaleSync sync, List<ProductId> ids, Duration tooOld) {
    return sync.recent(ids, tooOld).stream().mapToLong(one -> one.await().joined()).sum();
  }

  @Test
  void twoNodesAtOnceReleaseEachBatchOnce() throws InterruptedException {
    SaleSync sync = atTheOpening();
    List<Thread> nodes =
        Stream.of(sync, node(), node()).map(one -> Thread.ofVirtual().start(one::round)).toList();
    for (Thread one : nodes) {
      one.join();
    }
    node().round();
    assertThat(worlds).allSatisfy(world -> assertThat(stock(world)).isEqualTo("7"));
    assertThat(books.number("SELECT count(*) FROM sale_totals WHERE released = 7"))
        .isEqualTo(SALES);
  }

  @Test
  void aSaleThatIsLockedDoesNotHoldUpTheOthers() throws InterruptedException {
    var _ = atTheOpening();
    SaleWorld busy = worlds.get(SALES / 2);
    Thread other = Thread.ofVirtual().start(() -> lock(busy.product()));
    assertThat(locked.await(60, TimeUnit.SECONDS)).isTrue();
    Thread round = Thread.ofVirtual().start(() -> node().round());
    LedgerFixture.eventually(
        "the others have their units",
        () -> worlds.stream().allMatch(w -> w.equals(busy) || "7".equals(stock(w))));
    assertThat(busy.send("EXISTS", busy.keys().stock()).number()).isZero();
    letGo.countDown();
    other.join();
    round.join();
    node().round();
    assertThat(stock(busy)).isEqualTo("7");
  }

  private void lock(ProductId id) {
    int _ =
        books
            .database()
            .tx(
                db -> {
                  var _ =
                      db.query(
                          "SELECT 1 FROM sale_totals WHERE product_id = $1 FOR UPDATE", id.value());
                  locked.countDown();
                  try {
                    letGo.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  return 0;
                });
  }

  /// What does not arrive may depend on what was lost.
  @Test
  void lostEventsAreLookedForAlsoWhileKafkaDoesNotDeliver() {
    SaleSync sync = atTheOpening();
    node().round();
    sync.verify();
    SaleRebuild rebuild = rebuild(Ledger.of(books.database(), new HeldUp()));
    assertThatThrownBy(node(rebuild)::verify).isInstanceOf(ServiceUnavailable.class);
    assertThat(worlds)
        .anySatisfy(world -> assertThat(rebuild.gaps().suspects(world.product())).isTrue());
  }

  private static final class HeldUp implements InTransit {
    @Override
    public void awaitArrived(Duration timeout) {
      throw new ServiceUnavailable("1 entries in kafka are not in the ledger yet", timeout);
    }

    @Override
    public void awaitQuiet(Duration timeout, LongSupplier arrived) {
      awaitArrived(timeout);
    }
  }
}
