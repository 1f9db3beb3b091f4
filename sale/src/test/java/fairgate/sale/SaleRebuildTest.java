package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.TestEngines;
import fairgate.catalog.Catalog;
import fairgate.catalog.Catalog.BatchOutcome;
import fairgate.catalog.LiveSales;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.events.OutboxReplay;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.sale.LedgerView.Head;
import fairgate.sale.SaleScripts.LiveScript;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A sale of three units in a real Redis and a real PostgreSQL, with relays of two nodes between
/// them, whose Redis is lost or put back. Nothing that was sold is sold again.
@Tag("slow")
final class SaleRebuildTest {
  private static final OutboxRelay.Settings QUICK =
      new OutboxRelay.Settings(
          100,
          Duration.ofMillis(20),
          Duration.ofMinutes(10),
          5,
          Duration.ofMillis(10),
          500,
          Duration.ofMinutes(10));

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final Catalog catalog = Catalog.open(books.database());
  private final SaleWorld world = SaleWorld.unknown();
  private final SaleScripts scripts = SaleScripts.on(world.redis(), SaleKeys.Style.PLAIN);
  private final SaleRebuild rebuild =
      new SaleRebuild(world.redis(), scripts, books.ledger().view(), "node-a");
  private final SaleSync sync = new SaleSync(catalog, new LiveSales(catalog), scripts, rebuild);
  private final OutboxStream outbox = new OutboxStream(world.product(), world.keys().outbox());
  private final List<OutboxRelay> relays = new ArrayList<>();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch letGo = new CountDownLatch(1);

  @BeforeEach
  void open() {
    ProductId id = world.product();
    Product.Details details = new Product.Details("a thing", "", new Money(100, "TWD"), 3, null);
    var _ = catalog.create(id, details, SalePolicy.Preset.QUEUE.policy(), "test");
    var _ = catalog.step(id, ProductState.Step.OPEN, "test");
    sync.sync(product());
    relay("node-a", books.ledger().sink());
    arrived(1);
  }

  @AfterEach
  void close() {
    letGo.countDown();
    relays.forEach(OutboxRelay::close);
    catalog.close();
    books.close();
  }

  private Product product() {
    return catalog.find(world.product()).orElseThrow();
  }

  private void relay(String node, OutboxSink sink) {
    OutboxRelay relay =
        new OutboxRelay(
            world.redis(),
            node,
            () -> List.of(outbox),
            sink,
            books.ledger().deadLetters(),
            QUICK,
            Clock.systemUTC());
    relays.add(relay);
    relay.start();
  }

  private void stopRelays() {
    relays.forEach(OutboxRelay::close);
    relays.clear();
  }

  /// A relay of another node, which stops with what it has read in its hands, until it is let go.
  private void heldRelay() {
    stopRelays();
    relay(
        "node-b",
        (stream, entries) -> {
          held.countDown();
          awaitLetGo();
          books.ledger().sink().apply(stream, entries);
        });
  }

  private void awaitLetGo() {
    try {
      letGo.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void buy() {
    Buyer buyer = world.ready();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
  }

  private void awaitHeld() throws InterruptedException {
    assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private long events() {
    return books.number("SELECT count(*) FROM order_events");
  }

  private void arrived(long events) {
    LedgerFixture.eventually(events + " events in the ledger", () -> events() == events);
  }

  private LiveCounters live() {
    return new LiveScript(world.redis()).run(world.keys()).await();
  }

  private void loseRedis() {
    world.names().forEach(name -> world.sent("DEL", name));
  }

  private void restartRedis() {
    world.sent("HSET", world.keys().sale(), "run", "0123456789012345678901234567890123456789");
  }

  private void assertSold(long sold) {
    LiveCounters live = live();
    assertThat(live.free()).isEqualTo(3 - sold);
    assertThat(live.confirmed()).isEqualTo(sold);
    assertThat(sync.balanced(world.product(), live)).isTrue();
    assertThat(books.totals(outbox)).isEqualTo("3/0/" + sold);
    assertThat(books.number("SELECT count(*) FROM dead_letters")).isZero();
  }

  @Test
  void entriesThatAnotherRelayHoldsWhenRedisIsLostAreCountedWhenTheyArrive() throws Exception {
    heldRelay();
    buy();
    awaitHeld();
    loseRedis();
    sync.verify();
    assertThat(live().free()).as("only the held relay knows of the sale").isEqualTo(3);
    letGo.countDown();
    arrived(2);
    assertThat(sync.balanced(world.product(), live())).as("before the next round").isFalse();
    sync.verify();
    assertSold(1);
    buy();
    buy();
    assertThat(live().free()).isZero();
    ledgerHas(3);
    assertSold(3);
  }

  private void ledgerHas(long confirmed) {
    LedgerFixture.eventually(
        confirmed + " units in the ledger", () -> books.totals(outbox).endsWith("/" + confirmed));
  }

  @Test
  void entriesThatAnotherRelayHoldsWhenAnOlderCopyComesBackGetNumbersOfTheirOwn() throws Exception {
    heldRelay();
    Map<String, String> copy = saleHash();
    buy();
    awaitHeld();
    // As in the copy: the ledger has nothing that this Redis lacks, so it is trusted.
    loseRedis();
    putBack(copy);
    restartRedis();
    sync.verify();
    assertThat(live().trusted()).isTrue();
    assertThat(live().free()).isEqualTo(3);
    relay("node-a", books.ledger().sink());
    buy();
    letGo.countDown();
    ledgerHas(2);
    sync.verify();
    assertSold(2);
    buy();
    assertThat(live().free()).isZero();
    ledgerHas(3);
    assertSold(3);
  }

  private Map<String, String> saleHash() {
    List<String> names = world.send("HKEYS", world.keys().sale()).texts();
    List<String> values = world.send("HVALS", world.keys().sale()).texts();
    Map<String, String> fields = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      fields.put(names.get(i), values.get(i));
    }
    return fields;
  }

  /// A copy of which only the sale's hash and its stock matter.
  private void putBack(Map<String, String> sale) {
    world.sent("SET", world.keys().stock(), "3");
    List<String> args = new ArrayList<>(List.of(world.keys().sale()));
    sale.forEach(
        (name, value) -> {
          args.add(name);
          args.add(value);
        });
    world.sent("HSET", args.toArray(String[]::new));
  }

  @Test
  void entriesThatSurviveInTheOutboxAreCounted() {
    stopRelays();
    buy();
    buy();
    assertThat(events()).as("no relay runs").isEqualTo(1);
    world.sent("HSET", world.keys().sale(), "state", "rebuilding", "rebuild_by", "nobody");
    sync.verify();
    assertSold(2);
  }

  @Test
  void aCommitBetweenTheReadOfTheHeadsAndTheComparisonIsNotMissed() {
    Map<ProductId, Head> heads = rebuild.heads();
    buy();
    arrived(2);
    // An older copy: this Redis has not got the sale that the ledger has learnt of since.
    world.sent("SET", world.keys().stock(), "3");
    world.sent("HSET", world.keys().sale(), "seq", "1", "confirmed", "0");
    restartRedis();
    assertThat(rebuild.check(product(), heads, live())).isTrue();
    assertThat(live().free()).isEqualTo(2);
    assertThat(live().confirmed()).isEqualTo(1);
  }

  @Test
  void otherTotalsThanThoseOfTheLedgerAreFoundAndMended() {
    buy();
    arrived(2);
    world.sent("HSET", world.keys().sale(), "confirmed", "0");
    world.sent("SET", world.keys().stock(), "3");
    LiveCounters wrong = live();
    assertThat(wrong.balanced()).as("Redis with itself").isTrue();
    assertThat(sync.balanced(world.product(), wrong)).isFalse();
    sync.verify();
    assertSold(1);
  }

  @Test
  void countersThatWereReadBeforeTheLedgerLearntOfMoreDoNotContradictIt() {
    LiveCounters before = live();
    buy();
    arrived(2);
    assertThat(sync.balanced(world.product(), before)).isTrue();
  }

  @Test
  void aRestartThatLostNothingOpensAnEpochAndSellsOn() {
    buy();
    arrived(2);
    restartRedis();
    sync.verify();
    assertThat(live().trusted()).isTrue();
    assertThat(live().epoch()).isGreaterThan(1);
    assertSold(1);
    buy();
    arrived(3);
    sync.verify();
    assertSold(2);
    long epoch = live().epoch();
    sync.verify();
    assertThat(live().epoch()).as("nothing disagrees").isEqualTo(epoch);
  }

  /// The ledger has not got the event of the release, so it does not know more than the copy.
  @Test
  void unitsReleasedAfterTheCopyWasMadeAreReleasedAgain() {
    Map<String, String> copy = saleHash();
    addTwoUnits();
    comesBackAs(copy);
    sync.verify();
    assertThat(live().epoch()).as("trusted, not rebuilt").isEqualTo(2);
    sync.round();
    assertThat(live().free()).isEqualTo(5);
    assertThat(live().trusted()).isTrue();
    assertThat(live().version()).isEqualTo(product().version());
  }

  @Test
  void anotherNodeReleasesThemWhenTheOneThatTrustedTheCopyDies() {
    SaleSync other = new SaleSync(catalog, new LiveSales(catalog), scripts, rebuild);
    Map<String, String> copy = saleHash();
    addTwoUnits();
    other.round();
    comesBackAs(copy);
    assertThat(rebuild.check(product(), rebuild.heads(), live())).isFalse();
    assertThat(live().trusted()).isTrue();
    other.verify();
    other.round();
    assertThat(live().free()).isEqualTo(5);
  }

  private void addTwoUnits() {
    stopRelays();
    assertThat(catalog.addBatch(world.product(), 2, "more")).isInstanceOf(BatchOutcome.Added.class);
    sync.sync(product());
    // The release is a change of the product too.
    sync.round();
    assertThat(live().free()).isEqualTo(5);
  }

  private void comesBackAs(Map<String, String> copy) {
    world.sent("DEL", world.keys().sale());
    putBack(copy);
    restartRedis();
  }

  /// The relay of another node stops in the middle of its transaction.
  @Test
  void nothingIsTrustedOrRebuiltWhileARelayWritesABatchOfTheSale() throws Exception {
    Map<String, String> copy = saleHash();
    stopRelays();
    buy();
    Thread writing =
        Thread.startVirtualThread(
            () -> {
              int _ =
                  books
                      .database()
                      .tx(
                          db -> {
                            var _ =
                                db.query(
                                    "SELECT 1 FROM sale_totals WHERE product_id = $1 FOR UPDATE",
                                    world.product().value());
                            held.countDown();
                            awaitLetGo();
                            return 0;
                          });
            });
    awaitHeld();
    loseRedis();
    putBack(copy);
    restartRedis();
    sync.verify();
    assertThat(live().trusted()).as("an older copy").isFalse();
    loseRedis();
    sync.verify();
    assertThat(live().known()).as("an empty Redis").isFalse();
    letGo.countDown();
    writing.join();
    sync.verify();
    assertThat(live().trusted()).isTrue();
  }

  @Test
  void noEpochIsOpenedTwice() {
    long first = books.ledger().view().openEpoch(world.product(), 1);
    assertThat(first).isEqualTo(2);
    assertThat(books.ledger().view().openEpoch(world.product(), 1)).isEqualTo(3);
    assertThat(books.ledger().view().openEpoch(world.product(), 9)).isEqualTo(10);
  }

  /// Acknowledges what it does not write, as a Kafka does that loses what it took.
  private void losingRelay() {
    stopRelays();
    relay("node-b", (stream, entries) -> held.countDown());
  }

  private LedgerGaps gaps(AtomicLong nanos) {
    return new LedgerGaps(
        books.ledger().view(), new OutboxReplay(world.redis(), books.ledger().sink()), nanos::get);
  }

  private void look(LedgerGaps gaps) {
    look(gaps, true);
  }

  private void look(LedgerGaps gaps, boolean arrived) {
    gaps.look(outbox, live(), books.ledger().view().head(world.product()), arrived);
  }

  @Test
  void whatWasAcknowledgedAndLostIsFedToTheLedgerAgain() throws InterruptedException {
    losingRelay();
    buy();
    buy();
    awaitHeld();
    OutboxReplay replay = new OutboxReplay(world.redis(), books.ledger().sink());
    LedgerFixture.eventually("acknowledged", () -> replay.acknowledged(outbox));
    assertThat(events()).isEqualTo(1);
    AtomicLong nanos = new AtomicLong();
    LedgerGaps gaps = gaps(nanos);
    look(gaps);
    assertThat(events()).as("it may be on its way").isEqualTo(1);
    assertThat(gaps.suspects(world.product())).isTrue();
    nanos.addAndGet(LedgerGaps.PATIENCE.toNanos());
    look(gaps);
    assertThat(events()).isEqualTo(3);
    assertThat(gaps.missing()).isZero();
    look(gaps);
    assertThat(gaps.suspects(world.product())).isFalse();
  }

  /// A later entry that the ledger refuses holds up its partition until the lost one is there.
  @Test
  void aKafkaThatDoesNotDeliverIsWaitedForForHalfAMinute() throws InterruptedException {
    losingRelay();
    buy();
    awaitHeld();
    OutboxReplay replay = new OutboxReplay(world.redis(), books.ledger().sink());
    LedgerFixture.eventually("acknowledged", () -> replay.acknowledged(outbox));
    AtomicLong nanos = new AtomicLong();
    LedgerGaps gaps = gaps(nanos);
    look(gaps, false);
    nanos.addAndGet(LedgerGaps.AGAIN.toNanos() - 1);
    look(gaps, false);
    assertThat(events()).isEqualTo(1);
    nanos.addAndGet(1);
    look(gaps, false);
    assertThat(events()).isEqualTo(2);
    assertThat(gaps.missing()).isZero();
  }

  @Test
  void whileEntriesAreOnTheirWayEveryLookTriesAgain() throws InterruptedException {
    losingRelay();
    buy();
    awaitHeld();
    OutboxReplay replay = new OutboxReplay(world.redis(), books.ledger().sink());
    LedgerFixture.eventually("acknowledged", () -> replay.acknowledged(outbox));
    stopRelays();
    buy();
    AtomicLong nanos = new AtomicLong();
    LedgerGaps gaps = gaps(nanos);
    look(gaps);
    nanos.addAndGet(LedgerGaps.PATIENCE.toNanos());
    look(gaps);
    assertThat(events()).as("the second one is on its way").isEqualTo(1);
    losingRelay();
    LedgerFixture.eventually("acknowledged", () -> replay.acknowledged(outbox));
    look(gaps);
    assertThat(events()).isEqualTo(3);
  }

  @Test
  void whatTheOutboxRetainsNoMoreStaysAnAlarm() throws InterruptedException {
    losingRelay();
    buy();
    buy();
    awaitHeld();
    OutboxReplay replay = new OutboxReplay(world.redis(), books.ledger().sink());
    LedgerFixture.eventually("acknowledged", () -> replay.acknowledged(outbox));
    var _ = world.redis().send("XTRIM", outbox.key(), "MAXLEN", "1").await();
    AtomicLong nanos = new AtomicLong();
    LedgerGaps gaps = gaps(nanos);
    look(gaps);
    nanos.addAndGet(LedgerGaps.PATIENCE.toNanos());
    look(gaps);
    assertThat(events()).isEqualTo(2);
    assertThat(gaps.missing()).isEqualTo(1);
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    look(gaps);
    assertThat(gaps.missing()).isEqualTo(1);
  }
}
