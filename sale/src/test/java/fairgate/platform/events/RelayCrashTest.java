package fairgate.platform.events;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.ledger.LedgerFixture;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Engines that crash or become unavailable while the relay is running.
@Tag("proof")
final class RelayCrashTest {
  private static final int ORDERS = 12_000;

  /// Writes orders like the purchase script.
  private static final String FILL =
      """
      for i = tonumber(ARGV[2]), tonumber(ARGV[3]) do
        local tail = string.format('%026d', i)
        redis.call('XADD', KEYS[1], '*', 'seq', i, 'epoch', 1, 'kind', 'reserved',
          'order', 'order_' .. ARGV[1] .. '_' .. tail, 'at', 1790000000000 + i,
          'session', string.format('00000000-0000-4000-8000-%012d', i),
          'user', 'u' .. tail, 'device', 'd' .. tail, 'quantity', 1,
          'amount', 19900, 'currency', 'TWD', 'status', 'pending', 'version', 1,
          'pay_by', 1790000600000 + i)
      end
      return 1
      """;

  private final TestEngines engines = TestEngines.privateEngines();
  private final LedgerFixture books = LedgerFixture.fresh(engines);
  private final RedisClient redis =
      RedisClient.connect(books.vertx(), RedisSettings.of(engines.redisUri())).await();
  private final OutboxStream sale = books.sale(ORDERS);
  private final OutboxRelay relay =
      new OutboxRelay(
          redis,
          "node",
          () -> List.of(sale),
          books.ledger().sink(),
          books.ledger().deadLetters(),
          new OutboxRelay.Settings(
              100,
              Duration.ofMillis(100),
              Duration.ofSeconds(1),
              5,
              Duration.ofMillis(50),
              1_000,
              Duration.ofSeconds(1)),
          Clock.systemUTC());

  @BeforeEach
  void fill() {
    for (int from = 1; from <= ORDERS; from += 2_000) {
      String to = Integer.toString(from + 1_999);
      var _ = redis.send("EVAL", FILL, "1", sale.key(), id(), Integer.toString(from), to).await();
    }
  }

  @AfterEach
  void close() {
    relay.close();
    redis.close();
    books.close();
    engines.close();
  }

  @Test
  void everyEntryIsBookedOnceDespiteCrashes() {
    relay.start();
    eventually("a first part", () -> orders() >= 1_000);
    engines.killPostgres();
    eventually("more", () -> orders() >= 4_000);
    engines.killRedis();
    engines.restartRedis();
    eventually("more still", () -> orders() >= 7_000);
    engines.killPostgres();

    eventually("all", () -> orders() == ORDERS);
    assertThat(books.totals(sale)).isEqualTo(ORDERS + "/" + ORDERS + "/0");
    assertThat(books.number("SELECT gaps FROM outbox_positions WHERE product_id = $1", id()))
        .isZero();
    assertThat(books.number("SELECT count(*) FROM dead_letters")).isZero();
    eventually("all acknowledged", () -> relay.status().lag() == 0 && relay.status().working());
  }

  @Test
  void theRelayWaitsForADatabaseThatRefusesConnections() {
    doors(false);
    relay.start();
    eventually("noticed", () -> !relay.status().working() && relay.status().lag() == ORDERS);
    assertThat(relay.status().parked()).isZero();
    doors(true);

    eventually("all", () -> orders() == ORDERS);
    assertThat(books.number("SELECT count(*) FROM dead_letters")).isZero();
  }

  /// Closes the database to connections and ends the existing ones, or opens it again.
  private void doors(boolean open) {
    PostgresAddress other = engines.postgres();
    String name = books.address().database();
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(other), other.user(), other.password());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS " + open);
      if (!open) {
        statement.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"
                + name
                + "'");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String id() {
    return sale.product().value();
  }

  /// -1 while PostgreSQL is unavailable.
  private long orders() {
    try {
      return books.number("SELECT count(*) FROM orders");
    } catch (ServiceUnavailable away) {
      return -1;
    }
  }
}
