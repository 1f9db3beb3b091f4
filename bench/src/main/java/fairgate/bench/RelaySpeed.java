package fairgate.bench;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.ledger.Ledger;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/// How many orders per second one relay brings from Redis into PostgreSQL: a backlog of orders is
/// written to an outbox as the purchase script would, then drained.
///
/// Usage: `RelaySpeed REDIS_URI PG_HOST PG_PORT PG_USER PG_PASSWORD PG_DATABASE [ORDERS] [ROUNDS]`.
/// The database and the Redis must be for nothing else.
public final class RelaySpeed {
  private static final int CHUNK = 5_000;
  private static final String FILL =
      """
      for i = tonumber(ARGV[2]), tonumber(ARGV[3]) do
        local tail = string.format('%026d', i)
        redis.call('XADD', KEYS[1], '*', 'seq', i, 'epoch', 1, 'kind', 'reserved',
          'order', 'order_' .. ARGV[1] .. '_' .. tail, 'at', 1790000000000 + i,
          'session', string.format('00000000-0000-4000-8000-%012d', i),
          'user', 'u' .. tail, 'device', string.sub('d' .. tail, 1, 22), 'quantity', 1,
          'amount', 19900, 'currency', 'TWD', 'status', 'pending', 'version', 1,
          'pay_by', 1790000600000 + i)
      end
      return 1
      """;

  private RelaySpeed() {}

  /// Prints one line per round and the mean of all rounds but the first, which warms up.
  public static void main(String[] args) {
    int orders = args.length > 6 ? Integer.parseInt(args[6]) : 50_000;
    int rounds = args.length > 7 ? Integer.parseInt(args[7]) : 4;
    Vertx vertx = Vertx.vertx();
    PostgresSettings settings =
        new PostgresSettings(args[1], Integer.parseInt(args[2]), args[3], args[4], args[5], 8);
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings);
        RedisClient redis = RedisClient.connect(vertx, RedisSettings.of(args[0])).await()) {
      database.migrate();
      double[] speeds =
          IntStream.rangeClosed(1, rounds)
              .mapToDouble(i -> round(database, redis, orders))
              .toArray();
      double mean =
          IntStream.range(1, rounds).mapToDouble(i -> speeds[i]).average().orElse(speeds[0]);
      System.out.printf(Locale.ROOT, "relay: %.0f orders/s (mean after warm-up)%n", mean);
    } finally {
      vertx.close().await();
    }
  }

  private static double round(PostgresDatabase database, RedisClient redis, int orders) {
    ProductId product = product(database, orders);
    String key = SaleKeys.of(product, SaleKeys.Style.PLAIN).outbox();
    for (int from = 1; from <= orders; from += CHUNK) {
      String last = Integer.toString(Math.min(orders, from + CHUNK - 1));
      var _ =
          redis.send("EVAL", FILL, "1", key, product.value(), Integer.toString(from), last).await();
    }
    Ledger ledger = Ledger.of(database);
    OutboxStream stream = new OutboxStream(product, key);
    long start = System.nanoTime();
    try (OutboxRelay relay =
        new OutboxRelay(
            redis,
            "bench",
            () -> List.of(stream),
            ledger.sink(),
            ledger.deadLetters(),
            OutboxRelay.Settings.standard(),
            Clock.systemUTC())) {
      relay.start();
      while (held(ledger, product) < orders) {
        LockSupport.parkNanos(5_000_000);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.printf(
          Locale.ROOT, "%d orders in %.2f s: %.0f orders/s%n", orders, seconds, orders / seconds);
      return orders / seconds;
    }
  }

  private static ProductId product(PostgresDatabase database, int units) {
    try (Catalog catalog = Catalog.open(database)) {
      ProductId id = new ProductId(Long.toString(1_000_000 + catalog.all().size()));
      Product.Details details =
          new Product.Details("bench", "", new Money(19_900, "TWD"), units, null);
      var _ = catalog.create(id, details, SalePolicy.Preset.FLASH.policy(), "bench");
      var _ = catalog.step(id, ProductState.Step.OPEN, "bench");
      var _ = catalog.release(List.of(id), Instant.now(), true);
      return id;
    }
  }

  private static long held(Ledger ledger, ProductId product) {
    return ledger.view().totals(product).orElseThrow().held();
  }
}
