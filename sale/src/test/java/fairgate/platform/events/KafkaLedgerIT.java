package fairgate.platform.events;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.testkit.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Delivery from the outbox to the ledger through a real Kafka.
final class KafkaLedgerIT extends RelayWorld {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @SuppressWarnings("NullAway.Init")
  private static KafkaBroker broker;

  private final List<KafkaLog> logs = new ArrayList<>();

  @BeforeAll
  static void startBroker() {
    broker = KafkaBroker.start();
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Override
  @AfterEach
  void stop() {
    super.stop();
    logs.forEach(KafkaLog::close);
    broker.restart();
  }

  private KafkaLog open(String node) {
    KafkaLog log = KafkaLog.at(KafkaLog.Settings.at(List.of(broker.address())), node);
    logs.add(log);
    return log;
  }

  private KafkaLog reading(String node, OutboxSink ledger) {
    KafkaLog log = open(node);
    log.start(ledger, books.ledger().deadLetters(), QUICK, Clock.systemUTC());
    return log;
  }

  private KafkaLog reading(String node) {
    return reading(node, books.ledger().sink());
  }

  /// Publishes entries of the sale; a repeat changes nothing in the ledger.
  private void publish(KafkaLog log, List<OutboxEntry> entries) {
    eventually("published", () -> succeeds(() -> log.sink().apply(sale, entries)));
  }

  private static void awaitArrived(KafkaLog log) {
    eventually("arrived", () -> succeeds(() -> log.awaitArrived(PATIENCE)));
  }

  private void awaitQuiet(KafkaLog log) {
    eventually("quiet", () -> succeeds(() -> log.awaitQuiet(PATIENCE, this::orders)));
  }

  /// Whether Kafka answered in time; a busy one may take longer than the five seconds of a call.
  private static boolean succeeds(Runnable call) {
    try {
      call.run();
      return true;
    } catch (ServiceUnavailable _) {
      return false;
    }
  }

  private static void garbage(String key, String value) {
    Properties to = new Properties();
    to.put("bootstrap.servers", broker.address());
    try (var producer =
        new KafkaProducer<>(to, new StringSerializer(), new ByteArraySerializer())) {
      var _ =
          producer.send(
              new ProducerRecord<>(
                  KafkaRecords.TOPIC, key, value.getBytes(StandardCharsets.UTF_8)));
    }
  }

  @Test
  void ordersReachTheLedgerAndAreAcknowledgedInRedisAndKafka() {
    reserve(1, 350);
    KafkaLog log = reading("a");
    relay("a", log.sink());

    eventually("all written", () -> orders() == 350 && pending() == 0);
    // The dead letters of the other tests.
    long parked = books.number("SELECT count(*) FROM dead_letters");
    KafkaLog.Status well = new KafkaLog.Status(true, true, 0, Duration.ZERO, parked);
    eventually("kafka is told", () -> log.status().equals(well));
    assertThat(gaps()).isZero();
    assertThat(books.totals(sale)).isEqualTo("100000/350/0");
  }

  @Test
  void aKilledBrokerCausesNoLossAndNoDuplicates() {
    KafkaLog log = reading("a");
    OutboxRelay relay = relay("a", log.sink());
    reserve(1, 300);
    eventually("a first part", () -> orders() == 300);
    reserve(301, 200);
    broker.kill();
    reserve(501, 500);
    eventually("noticed", () -> !log.status().up() && !relay.status().working());
    eventually("the rest waits", () -> relay.status().lag() >= 500);
    broker.restart();

    eventually("all written", () -> orders() == 1_000 && pending() == 0);
    eventually("kafka is told", () -> log.status().up() && log.status().lag() == 0);
    assertThat(gaps()).isZero();
    assertThat(letters()).isZero();
    assertThat(books.totals(sale)).isEqualTo("100000/1000/0");
  }

  @Test
  void duplicatesAndReorderingChangeNothing() {
    for (int i = 1; i <= 200; i++) {
      var order = history.reserve(i, 1);
      if (i % 3 == 0) {
        history.pay(order, "pay-" + i);
      } else if (i % 3 == 1) {
        history.expire(order);
      }
    }
    List<OutboxEntry> mixed = new ArrayList<>(history.entries());
    mixed.addAll(history.entries());
    Collections.shuffle(mixed, new Random(7));
    KafkaLog log = reading("a");
    publish(log, mixed);
    publish(log, history.entries());
    awaitArrived(log);

    assertThat(orders()).isEqualTo(200);
    assertThat(books.totals(sale)).isEqualTo("100000/67/66");
    assertThat(gaps()).isZero();
    assertThat(letters()).isZero();
  }

  @Test
  void aRefusedEntryIsParkedAndTheOthersAreWritten() {
    KafkaLog log = reading("a");
    relay("a", log.sink());
    reserve(1, 20);
    Map<String, String> strange = Map.of("kind", "unheard of", "seq", "1");
    add(List.of(new OutboxEntry("1-0", strange)));
    // Larger than the limit of records, so it never reaches Kafka.
    add(List.of(new OutboxEntry("1-1", Map.of("kind", "x".repeat(1_100_000)))));
    eventually("the topic is there", () -> orders() == 20);
    garbage(id(), "{\"product_id\": not JSON");
    garbage("no product", "");
    reserve(21, 20);

    eventually("all written", () -> orders() == 40 && pending() == 0);
    eventually("parked", () -> letters() == 3);
    eventually(
        "that of nobody too",
        () -> books.number("SELECT count(*) FROM dead_letters WHERE product_id = '0'") == 1);
    eventually("nothing is in the way", () -> log.status().lag() == 0);
    // Those of the other tests too.
    eventually(
        "they are counted",
        () ->
            log.status().deadLetters()
                == books.number("SELECT count(*) FROM dead_letters WHERE resolved_at IS NULL"));
  }

  @Test
  void kafkaKeepsEntriesWhileTheLedgerIsUnavailable() {
    AtomicBoolean away = new AtomicBoolean(true);
    KafkaLog log =
        reading(
            "a",
            (stream, entries) -> {
              if (away.get()) {
                throw new ServiceUnavailable("away", Duration.ZERO);
              }
              books.ledger().sink().apply(stream, entries);
            });
    relay("a", log.sink());
    reserve(1, 150);
    // An earlier test may have ended before its last offsets were committed.
    eventually("redis is told", () -> pending() == 0 && log.status().lag() >= 150);
    eventually("it shows", () -> !log.status().writing() && log.status().oldest().isPositive());
    assertThatThrownBy(() -> log.awaitArrived(Duration.ZERO))
        .isInstanceOf(ServiceUnavailable.class);
    away.set(false);
    awaitQuiet(log);

    assertThat(orders()).isEqualTo(150);
  }

  @Test
  void aSaleIsQuietWhileOthersSellOn() throws InterruptedException {
    OutboxStream other = new OutboxStream(new ProductId("77"), "");
    KafkaLog log =
        reading(
            "a",
            (stream, entries) -> {
              if (stream.product().equals(sale.product())) {
                books.ledger().sink().apply(stream, entries);
              }
            });
    publish(log, withOrders(20));
    AtomicBoolean over = new AtomicBoolean();
    Thread selling =
        Thread.startVirtualThread(
            () -> {
              while (!over.get()) {
                List<OutboxEntry> sold = List.of(new OutboxEntry("1-0", Map.of("kind", "sold")));
                boolean _ = succeeds(() -> log.sink().apply(other, sold));
              }
            });
    try {
      awaitQuiet(log);
      assertThat(selling.isAlive()).as("the other one sells on").isTrue();
    } finally {
      over.set(true);
      selling.join();
    }
    assertThat(orders()).isEqualTo(20);
  }

  @Test
  void whatANodeLeftBehindIsReadByAnother() {
    AtomicBoolean dead = new AtomicBoolean();
    // Writes the first batch but does not commit its offsets.
    KafkaLog first =
        reading(
            "first",
            (stream, entries) -> {
              if (!dead.getAndSet(true)) {
                books.ledger().sink().apply(stream, entries);
              }
              throw new ServiceUnavailable("gone", Duration.ZERO);
            });
    publish(first, withOrders(120));
    eventually("written once", () -> orders() > 0);
    first.close();
    KafkaLog second = reading("second");
    awaitArrived(second);

    assertThat(orders()).isEqualTo(120);
    assertThat(books.totals(sale)).isEqualTo("100000/120/0");
  }

  private List<OutboxEntry> withOrders(int count) {
    for (int i = 1; i <= count; i++) {
      history.reserve(i, 1);
    }
    return history.entries();
  }

  private static void deleteTopic() {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      admin
          .deleteTopics(List.of(KafkaRecords.TOPIC))
          .all()
          .toCompletionStage()
          .toCompletableFuture()
          .join();
    }
  }

  @Test
  void aDeletedTopicIsRecreatedAndTheLedgerContinues() {
    KafkaLog log = reading("a");
    relay("a", log.sink());
    reserve(1, 120);
    eventually("a first part", () -> orders() == 120 && pending() == 0);
    eventually("kafka is told", () -> log.status().lag() == 0);
    deleteTopic();
    reserve(121, 80);

    eventually("all written", () -> orders() == 200 && pending() == 0);
    eventually("kafka is told", () -> log.status().up() && log.status().lag() == 0);
    reserve(201, 20);
    eventually("it goes on", () -> orders() == 220 && pending() == 0);
    assertThat(gaps()).isZero();
    assertThat(letters()).isZero();
  }

  @Test
  void entriesLostByKafkaAreReplayedFromTheOutbox() {
    AtomicBoolean away = new AtomicBoolean(true);
    KafkaLog log =
        reading(
            "a",
            (stream, entries) -> {
              if (away.get()) {
                throw new ServiceUnavailable("away", Duration.ZERO);
              }
              books.ledger().sink().apply(stream, entries);
            });
    relay("a", log.sink());
    reserve(1, 90);
    eventually("redis is told", () -> pending() == 0 && log.status().lag() >= 90);
    log.close();
    deleteTopic();
    KafkaLog other = reading("b");
    relay("b", other.sink());
    reserve(91, 10);
    eventually("what came later", () -> orders() == 10 && pending() == 0);
    OutboxReplay replay = new OutboxReplay(redis, books.ledger().sink());
    eventually("acknowledged", () -> replay.acknowledged(sale));
    assertThat(replay.run(sale)).isEmpty();

    assertThat(orders()).isEqualTo(100);
    assertThat(gaps()).isZero();
  }

  @Test
  void twoNodesShareTheWork() {
    KafkaLog one = reading("one");
    KafkaLog two = reading("two");
    relay("one", one.sink());
    relay("two", two.sink());
    reserve(1, 400);
    eventually("all written", () -> orders() == 400 && pending() == 0);
    two.close();
    reserve(401, 100);

    eventually("by the one that is left", () -> orders() == 500 && pending() == 0);
    assertThat(books.totals(sale)).isEqualTo("100000/500/0");
  }
}
