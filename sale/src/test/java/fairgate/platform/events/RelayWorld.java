package fairgate.platform.events;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.TestEngines;
import fairgate.kernel.ProductId;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.ledger.History;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/// A sale, its outbox in a real Redis, its ledger in a real PostgreSQL, and relays between them.
abstract class RelayWorld {
  static final OutboxRelay.Settings QUICK =
      new OutboxRelay.Settings(
          100,
          Duration.ofMillis(50),
          Duration.ofMillis(300),
          5,
          Duration.ofMillis(10),
          500,
          Duration.ofMillis(50));

  @SuppressWarnings("NullAway.Init")
  static LedgerFixture books;

  @SuppressWarnings("NullAway.Init")
  static RedisClient redis;

  private final List<OutboxRelay> running = new ArrayList<>();
  OutboxStream sale = new OutboxStream(new ProductId("1"), "");
  History history = new History(sale.product());

  @BeforeAll
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
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

  @CanIgnoreReturnValue
  OutboxRelay relay(String name, OutboxSink sink) {
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
  OutboxRelay start(OutboxRelay relay) {
    running.add(relay);
    relay.start();
    return relay;
  }

  /// Reserves one unit for each of `count` sessions.
  void reserve(int from, int count) {
    int known = history.entries().size();
    for (int i = 0; i < count; i++) {
      history.reserve(from + i, 1);
    }
    List<OutboxEntry> all = history.entries();
    add(all.subList(known, all.size()));
  }

  void add(List<OutboxEntry> entries) {
    for (OutboxEntry entry : entries) {
      List<String> args = new ArrayList<>(List.of(sale.key(), "*"));
      for (Map.Entry<String, String> field : entry.fields().entrySet()) {
        args.add(field.getKey());
        args.add(field.getValue());
      }
      send("XADD", args.toArray(String[]::new));
    }
  }

  /// Reads entries as a consumer without processing them, like a relay that crashes.
  void take(String name, int count) {
    send("XGROUP", "CREATE", sale.key(), "ledger", "0", "MKSTREAM");
    String[] args = {
      "GROUP", "ledger", name, "COUNT", Integer.toString(count), "STREAMS", sale.key(), ">"
    };
    send("XREADGROUP", args);
  }

  static void send(String command, String... args) {
    var _ = redis.send(command, args).await();
  }

  static long number(String command, String... args) {
    return redis.send(command, args).await().number();
  }

  long pending() {
    RedisReply groups = redis.send("XINFO", "GROUPS", sale.key()).await();
    return groups.size() == 0 ? 0 : groups.at(0).get("pending").number();
  }

  String id() {
    return sale.product().value();
  }

  long orders() {
    return books.number("SELECT count(*) FROM orders WHERE product_id = $1", id());
  }

  long letters() {
    return books.number("SELECT count(*) FROM dead_letters WHERE product_id = $1", id());
  }

  long gaps() {
    return books.number("SELECT gaps FROM outbox_positions WHERE product_id = $1", id());
  }
}
