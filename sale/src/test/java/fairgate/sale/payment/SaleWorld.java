package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.BuyerDetails;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// One product's sale on a real Redis, with reservations as the purchase script leaves them.
final class SaleWorld {
  static final Vertx VERTX = Vertx.vertx();
  static final RedisClient REDIS =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(60)))
          .await();
  static final int PRICE = 9_999;
  static final String CURRENCY = "TWD";

  private static final AtomicLong NEXT = new AtomicLong(1);

  final ProductId product = new ProductId(Long.toString(NEXT.getAndIncrement()));
  final SaleKeys keys = SaleKeys.of(product, SaleKeys.Style.PLAIN);
  final OrderBook book = book(LateMoney.REHOLD);

  SaleWorld(int stock) {
    redis("SET", keys.stock(), Integer.toString(stock));
    redis(
        "HSET",
        keys.sale(),
        "released",
        Integer.toString(stock),
        "held",
        "0",
        "confirmed",
        "0",
        "seq",
        "0",
        "epoch",
        "1",
        "max_user",
        "2",
        "max_device",
        "2",
        "cooldown_s",
        "60");
  }

  /// Of products that ask their buyers for nothing; never reads its database.
  static BuyerDetails noDetails() {
    KeyRing keys = new KeyRing("k", Map.of("k", new byte[32]));
    PostgresSettings nowhere = new PostgresSettings("127.0.0.1", 1, "none", "", "none", 1);
    return new BuyerDetails(
        PostgresDatabase.open(VERTX, nowhere),
        new KeySeal(keys, new TestIds(), BuyerDetails.PURPOSE),
        _ -> Optional.empty(),
        Duration.ofDays(1));
  }

  /// A list of disputes whose database nobody reads.
  static PostgresDisputes noDisputes() {
    PostgresSettings nowhere = new PostgresSettings("127.0.0.1", 1, "none", "", "none", 1);
    return new PostgresDisputes(PostgresDatabase.open(VERTX, nowhere));
  }

  OrderBook book(LateMoney late) {
    return new OrderBook(REDIS, SaleKeys.Style.PLAIN, late);
  }

  /// A pending order of so many units by a new buyer; pay_by in milliseconds from now, may be past.
  Order reserve(int quantity, long payIn) {
    String tag = "u" + NEXT.getAndIncrement();
    return reserve(quantity, payIn, tag, "d" + tag);
  }

  Order reserve(int quantity, long payIn, String user, String device) {
    OrderId id = OrderId.of(product, "%026d".formatted(NEXT.getAndIncrement()));
    SessionId session = new SessionId(UUID.randomUUID().toString());
    long now = now();
    String q = Integer.toString(quantity);
    String payBy = Long.toString(now + payIn);
    String amount = Long.toString((long) PRICE * quantity);
    redis("HSET", keys.session(session), "queue_status", "purchased", "order", id.value());
    redis("EXPIRE", keys.session(session), "86400");
    redis("HSET", keys.devices(), device, session.value());
    String left = redis("DECRBY", keys.stock(), q).text();
    redis("HINCRBY", keys.sale(), "held", q);
    redis("INCRBY", keys.userBought(user), q);
    redis("INCRBY", keys.deviceBought(device), q);
    redis("SADD", keys.purchases(), session.value());
    redis("ZADD", keys.pending(), payBy, id.value());
    String order =
        "HSET %s session %s user %s device %s quantity %s amount %s currency %s"
            .formatted(keys.order(id), session, user, device, q, amount, CURRENCY);
    String state =
        " status pending created_at %d pay_by %s remaining %s version 1"
            .formatted(now, payBy, left);
    redis((order + state).split(" "));
    return order(id);
  }

  static RedisReply redis(String... command) {
    String[] args = new String[command.length - 1];
    System.arraycopy(command, 1, args, 0, args.length);
    return REDIS.send(command[0], args).await();
  }

  /// What the database says the time is.
  static long now() {
    RedisReply time = redis("TIME");
    return Long.parseLong(time.textAt(0)) * 1000 + Long.parseLong(time.textAt(1)) / 1000;
  }

  Order order(OrderId id) {
    return book.find(id).await().orElseThrow();
  }

  OrderStatus status(Order order) {
    return order(order.id()).status();
  }

  long number(String... command) {
    String text = redis(command).text();
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  long free() {
    return number("GET", keys.stock());
  }

  long held() {
    return number("HGET", keys.sale(), "held");
  }

  long confirmed() {
    return number("HGET", keys.sale(), "confirmed");
  }

  /// The invariant of every instant.
  void assertConserved() {
    RedisReply sale = redis("HMGET", keys.sale(), "held", "confirmed", "released");
    assertThat(free() + Long.parseLong(sale.textAt(0)) + Long.parseLong(sale.textAt(1)))
        .as("free + held + confirmed = released")
        .isEqualTo(Long.parseLong(sale.textAt(2)));
  }

  /// The outbox, oldest first.
  List<Map<String, String>> outbox() {
    List<Map<String, String>> entries = new ArrayList<>();
    RedisReply reply = redis("XRANGE", keys.outbox(), "-", "+");
    for (int i = 0; i < reply.size(); i++) {
      RedisReply fields = reply.at(i).at(1);
      Map<String, String> entry = new LinkedHashMap<>();
      for (int j = 0; j < fields.size(); j += 2) {
        entry.put(fields.textAt(j), fields.textAt(j + 1));
      }
      entries.add(entry);
    }
    return entries;
  }

  List<String> kinds() {
    return outbox().stream().map(entry -> entry.getOrDefault("kind", "")).toList();
  }

  /// The payment that settles the order.
  static Payment payment(String id, Order order) {
    return new Payment(id, order.amount());
  }

  static Payment payment(String id, long amount) {
    return new Payment(id, new Money(amount, CURRENCY));
  }
}
