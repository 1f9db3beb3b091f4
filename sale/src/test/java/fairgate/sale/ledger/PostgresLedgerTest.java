package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.run.EngineWait;
import fairgate.sale.ledger.History.Order;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PostgresLedgerTest {
  @SuppressWarnings("NullAway.Init")
  private static LedgerFixture books;

  private OutboxStream sale = new OutboxStream(new ProductId("1"), "");
  private History history = new History(sale.product());

  @BeforeAll
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
  }

  @AfterAll
  static void close() {
    books.close();
  }

  @BeforeEach
  void newSale() {
    sale = books.sale(10);
    history = new History(sale.product());
  }

  @Test
  void aReservationIsHeldAndAPaymentConfirmsIt() {
    Order order = history.reserve(1, 2);
    apply();
    assertThat(books.totals(sale)).isEqualTo("10/2/0");
    history.pay(order, "pay-1");
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/0/2");
    LedgerOrder stored = find(order);
    assertThat(stored.standing().status()).isEqualTo(OrderStatus.PAID);
    assertThat(stored.standing().version()).isEqualTo(2);
    assertThat(stored.standing().paid().payment()).isEqualTo("pay-1");
    assertThat(stored.amount().minorUnits()).isEqualTo(200);
    assertThat(stored.buyer().device()).isEqualTo("device1");
  }

  @Test
  void aSaleWhoseRedisDoesNotAnswerIsNeitherBalancedNorNot() {
    SaleExplanation unseen =
        SaleExplanation.of(
            Optional.empty(),
            books.database(),
            sale.product(),
            new EngineWait(Duration.ofMillis(1)));
    assertThat(unseen.balanced()).isFalse();
    assertThat(unseen.lines())
        .anyMatch(line -> line.startsWith("NOT KNOWN: Redis does not answer"))
        .noneMatch(line -> line.contains("NOT BALANCED"));
  }

  @Test
  void aSaleWhosePostgresDoesNotAnswerIsNeitherBalancedNorNot() {
    Vertx vertx = Vertx.vertx();
    PostgresSettings nobody = new PostgresSettings("127.0.0.1", 1, "shop", "secret", "shop", 1);
    try (PostgresDatabase away = PostgresDatabase.open(vertx, nobody)) {
      SaleExplanation unseen =
          SaleExplanation.of(
              Optional.empty(), away, sale.product(), new EngineWait(Duration.ofMillis(1)));
      assertThat(unseen.balanced()).isFalse();
      assertThat(unseen.lines())
          .anyMatch(line -> line.startsWith("NOT KNOWN: PostgreSQL does not answer"))
          .noneMatch(line -> line.contains("NOT BALANCED"));
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void anOrderWithoutPaymentIsBornPaid() {
    Order order = history.buy(1, 1);
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/0/1");
    assertThat(find(order).standing().paid().version()).isEqualTo(1);
  }

  @Test
  void anExpiredOrACancelledOrderGivesItsUnitsBack() {
    history.expire(history.reserve(1, 2));
    history.cancel(history.reserve(2, 1));
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/0/0");
    assertThat(books.number("SELECT count(*) FROM order_events WHERE product_id = $1", id()))
        .isEqualTo(4);
  }

  @Test
  void whatBecameOfAnOrderIsCountedOnce() {
    Metrics metrics = new Metrics();
    books.ledger().meter(metrics);
    history.expire(history.reserve(1, 2));
    history.cancel(history.reserve(2, 1));
    history.buy(3, 1);
    Order order = history.reserve(4, 1);
    history.pay(order, "pay-4");
    apply();
    apply();

    assertThat(metrics.scrape().lines())
        .contains(
            "fairgate_orders_total{outcome=\"reserved\"} 4.0",
            "fairgate_orders_total{outcome=\"expired\"} 1.0",
            "fairgate_orders_total{outcome=\"cancelled\"} 1.0",
            "fairgate_orders_total{outcome=\"paid\"} 2.0",
            "fairgate_orders_total{outcome=\"refunded\"} 0.0");
  }

  @Test
  void lateMoneyTakesAnExpiredOrderUpAgain() {
    Order order = history.reserve(1, 2);
    history.expire(order);
    apply();
    history.pay(order, "late");
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/0/2");
  }

  @Test
  void moneyOwedBackIsOwedOnceAndDoneOnce() {
    Order order = history.reserve(1, 1);
    history.expire(order);
    history.refundDue(order, "late", 77);
    history.refundDue(order, "late", 77);
    apply();
    assertThat(refunds()).containsExactly("late due 77");
    history.refundStray(order, "late", 77);
    history.refundDue(order, "late", 77);
    apply();

    assertThat(refunds()).containsExactly("late done 77");
    assertThat(find(order).standing().status()).isEqualTo(OrderStatus.EXPIRED);
    assertThat(find(order).standing().paid().payment()).isNull();
  }

  @Test
  void aRefundedOrderOwnsNothing() {
    Order order = history.reserve(1, 3);
    history.pay(order, "pay-1");
    history.refundDue(order, "pay-1", 300);
    history.refund(order, "pay-1");
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/0/0");
    assertThat(find(order).standing().status()).isEqualTo(OrderStatus.REFUNDED);
    assertThat(find(order).standing().paid().payment()).isEqualTo("pay-1");
    assertThat(refunds()).containsExactly("pay-1 done 300");
  }

  @Test
  void stockEntriesCountNothingForTheUnitsWereReleasedBefore() {
    history.stock(1, 10);
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/0/0");
    assertThat(position()).isEqualTo("1 1 1 0");
  }

  @Test
  void moreThanWasReleasedIsRefusedAndLeavesNoTrace() {
    for (int i = 0; i < 6; i++) {
      history.reserve(i, 2);
    }

    assertThatThrownBy(this::apply)
        .isInstanceOfSatisfying(
            PostgresRefusal.class,
            refusal -> assertThat(refusal.constraint()).isEqualTo("sale_totals_never_oversold"));
    assertThat(books.totals(sale)).isEqualTo("10/0/0");
    assertThat(books.number("SELECT count(*) FROM order_events WHERE product_id = $1", id()))
        .isZero();
  }

  @Test
  void twoLiveOrdersOfOneSessionAreRefused() {
    history.reserve(1, 1);
    history.reserve(1, 1);

    assertThatThrownBy(this::apply)
        .isInstanceOfSatisfying(
            PostgresRefusal.class,
            refusal -> assertThat(refusal.constraint()).isEqualTo("orders_one_live_per_session"));
  }

  @Test
  void aSessionMayOrderAgainAfterItsOrderExpired() {
    Order first = history.reserve(1, 1);
    apply();
    history.expire(first);
    history.reserve(1, 2);
    apply();

    assertThat(books.totals(sale)).isEqualTo("10/2/0");
  }

  @Test
  void aNumberUsedForTwoEventsIsRefused() {
    history.reserve(1, 1);
    apply();
    History other = new History(sale.product());
    other.stock(1, 5);

    assertThatThrownBy(() -> books.ledger().sink().apply(sale, other.entries()))
        .hasMessageContaining("another event");
  }

  @Test
  void entriesThatSayTooLittleOrNonsenseAreRefused() {
    history.reserve(1, 1);
    OutboxEntry good = history.entries().getFirst();
    Map<String, String> wrong = new HashMap<>(Map.of("quantity", "0", "version", "x"));
    wrong.putAll(Map.of("status", "sold", "kind", "stolen", "epoch", "", "order", "order_1_x"));
    wrong.forEach(
        (field, value) -> {
          Map<String, String> fields = new HashMap<>(good.fields());
          fields.put(field, value);
          OutboxEntry bad = new OutboxEntry("1-1", fields);
          assertThatThrownBy(() -> books.ledger().sink().apply(sale, List.of(bad)))
              .as(field)
              .isInstanceOf(IllegalArgumentException.class);
        });
    OutboxEntry deleted = new OutboxEntry("1-1", Map.of());
    assertThatThrownBy(() -> books.ledger().sink().apply(sale, List.of(good, deleted)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(books.totals(sale)).isEqualTo("10/0/0");
  }

  @Test
  void thePositionKnowsOfGapsAndForgetsThemWithAnEpoch() {
    history.reserve(1, 1);
    history.reserve(2, 1);
    history.reserve(3, 1);
    List<OutboxEntry> all = history.entries();
    books.ledger().sink().apply(sale, List.of(all.get(0), all.get(2)));
    assertThat(position()).isEqualTo("1 1 3 1");
    books.ledger().sink().apply(sale, List.of(all.get(1)));
    assertThat(position()).isEqualTo("1 1 3 0");
    history.nextEpoch();
    history.reserve(4, 1);
    apply();

    assertThat(position()).isEqualTo("2 1 1 0");
  }

  @Test
  void theBookOfEventsCannotBeRewritten() {
    history.reserve(1, 1);
    apply();

    for (String sql :
        List.of(
            "UPDATE order_events SET quantity = 9",
            "DELETE FROM order_events",
            "TRUNCATE order_events")) {
      assertThatThrownBy(() -> books.query(sql)).hasMessageContaining("append-only");
    }
  }

  private void apply() {
    books.ledger().sink().apply(sale, history.entries());
  }

  private String id() {
    return sale.product().value();
  }

  private LedgerOrder find(Order order) {
    return books.ledger().find(new OrderId(order.id())).await().orElseThrow();
  }

  private List<String> refunds() {
    return books
        .query(
            "SELECT payment_id, state, amount FROM refunds WHERE order_id LIKE $1",
            "order_" + id() + "_%")
        .stream()
        .map(r -> r.getString(0) + " " + r.getString(1) + " " + r.getLong(2))
        .toList();
  }

  private String position() {
    Row row =
        books
            .query(
                "SELECT epoch, first_seq, last_seq, gaps FROM outbox_positions WHERE product_id = $1",
                id())
            .getFirst();
    return "%d %d %d %d".formatted(row.getLong(0), row.getLong(1), row.getLong(2), row.getLong(3));
  }
}
