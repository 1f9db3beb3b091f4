package fairgate.platform.events;

import static fairgate.sale.ledger.Books.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.TestEngines;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.ledger.Books;
import fairgate.sale.ledger.History;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OutboxRelayTest {
  private static final RelaySettings QUICK =
      new RelaySettings(
          100,
          Duration.ofMillis(50),
          Duration.ofMillis(300),
          5,
          Duration.ofMillis(10),
          500,
          Duration.ofMillis(50));

  @SuppressWarnings("NullAway.Init")
  private static Books books;

  @SuppressWarnings("NullAway.Init")
  private static RedisClient redis;

  private final List<OutboxRelay> running = new ArrayList<>();
  private OutboxStream sale = new OutboxStream(new ProductId("1"), "");
  private History history = new History(sale.product());

  @BeforeAll
  static void open() {
    books = Books.fresh(TestEngines.shared());
    redis =
        RedisClient.connect(books.vertx(), RedisSettings.of(TestEngines.shared().redisUri()))
            .await();
  }

  @AfterAll
  static void close() {
    redis.close();
    books.close();
  }

  @BeforeEach
  void newSale() {
    sale = books.sale(100_000);
    history = new History(sale.product());
    send("DEL", sale.key());
  }

  @AfterEach
  void stop() {
    running.forEach(OutboxRelay::close);
  }

  @Test
  void entriesAreWrittenAndAcknowledged() {
    reserve(1, 250);
    OutboxRelay relay = relay("a", books.ledger().sink());
    eventually("all written", () -> orders() == 250 && pending() == 0);
    reserve(251, 10);

    eventually("later ones too", () -> orders() == 260 && pending() == 0);
    eventually("the lag is told", () -> relay.status().working() && relay.status().lag() == 0);
  }

  @Test
  void ownPendingEntriesComeFirstAtStart() {
    reserve(1, 30);
    take("a", 20);
    List<String> order = new ArrayList<>();
    relay(
        "a",
        (stream, entries) -> {
          entries.forEach(entry -> order.add(entry.fields().get("seq")));
          books.ledger().sink().apply(stream, entries);
        });

    eventually("all written", () -> orders() == 30 && pending() == 0);
    assertThat(order).hasSize(30).startsWith("1", "2").endsWith("29", "30");
  }

  @Test
  void entriesOfADeadConsumerAreTakenOver() {
    reserve(1, 20);
    take("dead", 20);
    relay("alive", books.ledger().sink());

    eventually("all written", () -> orders() == 20 && pending() == 0);
  }

  @Test
  void aCrashBetweenCommitAndAcknowledgementDoublesNothing() {
    reserve(1, 40);
    take("a", 40);
    books.ledger().sink().apply(sale, history.entries());
    assertThat(pending()).isEqualTo(40);
    relay("a", books.ledger().sink());

    eventually("acknowledged", () -> pending() == 0);
    assertThat(orders()).isEqualTo(40);
    assertThat(books.totals(sale)).isEqualTo("100000/40/0");
  }

  @Test
  void twoRelaysOfOneNameShareTheWorkAndDoubleNothing() {
    reserve(1, 400);
    take("twin", 150);
    relay("twin", books.ledger().sink());
    relay("twin", books.ledger().sink());
    reserve(401, 400);

    eventually("all written", () -> orders() == 800 && pending() == 0);
    assertThat(books.totals(sale)).isEqualTo("100000/800/0");
  }

  @Test
  void aPoisonEntryIsParkedAndKeepsNobodyUp() {
    reserve(1, 50);
    send("XADD", sale.key(), "*", "seq", "51", "epoch", "1", "kind", "nonsense");
    history.skip();
    reserve(51, 50);
    OutboxRelay relay = relay("a", books.ledger().sink());

    eventually("parked", () -> letters() == 1 && pending() == 0);
    assertThat(orders()).isEqualTo(100);
    eventually("told", () -> relay.status().deadLetters() >= 1 && relay.status().parked() == 1);
    String entry =
        books
            .query("SELECT entry::text FROM dead_letters WHERE product_id = $1", id())
            .getFirst()
            .getString(0);
    assertThat(entry).contains("nonsense");
    assertThat(gaps()).isEqualTo(1);
  }

  @Test
  void moreThanWasReleasedIsParkedAndTheRestIsBooked() {
    sale = books.sale(10);
    history = new History(sale.product());
    reserve(1, 12);
    relay("a", books.ledger().sink());

    eventually("parked", () -> letters() == 2 && pending() == 0);
    assertThat(books.totals(sale)).isEqualTo("10/10/0");
  }

  @Test
  void anEntryThatHasToWaitForAnotherIsTriedAgain() {
    sale = books.sale(1);
    history = new History(sale.product());
    var first = history.reserve(1, 1);
    history.expire(first);
    history.reserve(2, 1);
    List<OutboxEntry> entries = history.entries();
    // As when two relays share a stream and the later entries come first.
    add(List.of(entries.get(2), entries.get(0), entries.get(1)));
    RelaySettings single =
        new RelaySettings(
            1, QUICK.block(), QUICK.claimIdle(), 5, QUICK.firstRetry(), 500, QUICK.trimEvery());
    start(
        new OutboxRelay(
            redis,
            "a",
            () -> List.of(sale),
            books.ledger().sink(),
            books.ledger().deadLetters(),
            single,
            Clock.systemUTC()));

    eventually("all written", () -> pending() == 0 && orders() == 2);
    assertThat(letters()).isZero();
    assertThat(books.totals(sale)).isEqualTo("1/1/0");
  }

  @Test
  void whileTheOtherSideIsAwayNothingIsAcknowledgedAndNothingLost() {
    AtomicBoolean away = new AtomicBoolean(true);
    AtomicInteger refused = new AtomicInteger();
    reserve(1, 150);
    OutboxRelay relay =
        relay(
            "a",
            (stream, entries) -> {
              if (away.get()) {
                refused.incrementAndGet();
                throw new ServiceUnavailable("away", Duration.ZERO);
              }
              books.ledger().sink().apply(stream, entries);
            });
    eventually("tried more often than an entry at fault", () -> refused.get() > 6);
    assertThat(pending()).isEqualTo(100);
    eventually("told", () -> !relay.status().working() && relay.status().lag() == 150);
    away.set(false);

    eventually("all written", () -> orders() == 150 && pending() == 0);
    assertThat(letters()).isZero();
  }

  @Test
  void aStoppedRelayLeavesWhatItReadToTheNextOne() {
    CountDownLatch reached = new CountDownLatch(1);
    reserve(1, 20);
    OutboxRelay stuck =
        relay(
            "a",
            (_, _) -> {
              reached.countDown();
              throw new ServiceUnavailable("away", Duration.ZERO);
            });
    eventually("read", () -> reached.getCount() == 0);
    stuck.close();
    assertThat(pending()).isEqualTo(20);
    relay("a", books.ledger().sink());

    eventually("all written", () -> orders() == 20 && pending() == 0);
  }

  @Test
  void finishedEntriesAreTrimmedButForTheMargin() {
    relay("a", books.ledger().sink());
    reserve(1, 3_000);
    eventually("all written", () -> orders() == 3_000 && pending() == 0);

    eventually("trimmed", () -> number("XLEN", sale.key()) < 1_500);
    assertThat(number("XLEN", sale.key())).isGreaterThanOrEqualTo(500);
  }

  @Test
  void theStreamIsNeverTrimmedBeyondAPendingEntry() {
    reserve(1, 1);
    take("elsewhere", 1);
    RelaySettings patient =
        new RelaySettings(
            100,
            QUICK.block(),
            Duration.ofMinutes(5),
            5,
            QUICK.firstRetry(),
            500,
            QUICK.trimEvery());
    start(
        new OutboxRelay(
            redis,
            "a",
            () -> List.of(sale),
            books.ledger().sink(),
            books.ledger().deadLetters(),
            patient,
            Clock.systemUTC()));
    reserve(2, 2_000);
    eventually("all but one written", () -> orders() == 2_000);
    reserve(2_002, 1);
    eventually("and one more round", () -> orders() == 2_001);

    assertThat(number("XLEN", sale.key())).isEqualTo(2_002);
  }

  @Test
  void aNewSaleIsPickedUpAtOnce() {
    List<OutboxStream> streams = new CopyOnWriteArrayList<>();
    start(
        new OutboxRelay(
            redis,
            "a",
            () -> streams,
            books.ledger().sink(),
            books.ledger().deadLetters(),
            QUICK,
            Clock.systemUTC()));
    reserve(1, 5);
    streams.add(sale);

    eventually("written", () -> orders() == 5 && pending() == 0);
  }

  @Test
  void aStreamThatWasLostIsReadAgainFromItsBeginning() {
    relay("a", books.ledger().sink());
    reserve(1, 5);
    eventually("written", () -> orders() == 5 && pending() == 0);
    send("DEL", sale.key());
    history.nextEpoch();
    reserve(6, 5);

    eventually("written", () -> orders() == 10 && pending() == 0);
  }

  @CanIgnoreReturnValue
  private OutboxRelay relay(String name, OutboxSink sink) {
    return start(
        new OutboxRelay(
            redis,
            name,
            () -> List.of(sale),
            sink,
            books.ledger().deadLetters(),
            QUICK,
            Clock.systemUTC()));
  }

  @CanIgnoreReturnValue
  private OutboxRelay start(OutboxRelay relay) {
    running.add(relay);
    relay.start();
    return relay;
  }

  /// So many sessions from a number on reserve one unit each.
  private void reserve(int from, int count) {
    int known = history.entries().size();
    for (int i = 0; i < count; i++) {
      history.reserve(from + i, 1);
    }
    List<OutboxEntry> all = history.entries();
    add(all.subList(known, all.size()));
  }

  private void add(List<OutboxEntry> entries) {
    for (OutboxEntry entry : entries) {
      List<String> args = new ArrayList<>(List.of(sale.key(), "*"));
      for (Map.Entry<String, String> field : entry.fields().entrySet()) {
        args.add(field.getKey());
        args.add(field.getValue());
      }
      send("XADD", args.toArray(String[]::new));
    }
  }

  /// Reads entries under a name and does nothing with them, as a relay that dies.
  private void take(String name, int count) {
    send("XGROUP", "CREATE", sale.key(), "ledger", "0", "MKSTREAM");
    String[] args = {
      "GROUP", "ledger", name, "COUNT", Integer.toString(count), "STREAMS", sale.key(), ">"
    };
    send("XREADGROUP", args);
  }

  private static void send(String command, String... args) {
    var _ = redis.send(command, args).await();
  }

  private static long number(String command, String... args) {
    return redis.send(command, args).await().number();
  }

  private long pending() {
    RedisReply groups = redis.send("XINFO", "GROUPS", sale.key()).await();
    return groups.size() == 0 ? 0 : groups.at(0).get("pending").number();
  }

  private String id() {
    return sale.product().value();
  }

  private long orders() {
    return books.number("SELECT count(*) FROM orders WHERE product_id = $1", id());
  }

  private long letters() {
    return books.number("SELECT count(*) FROM dead_letters WHERE product_id = $1", id());
  }

  private long gaps() {
    return books.number("SELECT gaps FROM outbox_positions WHERE product_id = $1", id());
  }
}
