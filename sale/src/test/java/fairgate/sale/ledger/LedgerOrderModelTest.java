package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxStream;
import fairgate.sale.ledger.History.Order;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/// However the entries of an outbox arrive, the books come out the same: a random history is
/// written in order into one sale, and shuffled, repeated and cut up into another.
final class LedgerOrderModelTest {
  private static final int UNITS = 6;
  private static final int SESSIONS = 4;

  @SuppressWarnings("NullAway.Init")
  private static LedgerFixture books;

  @BeforeContainer
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
  }

  @AfterContainer
  static void close() {
    books.close();
  }

  @Property(tries = 25)
  void anyOrderAndAnyRepeatGivesTheSameBooks(@ForAll long seed) {
    OutboxStream inOrder = books.sale(UNITS);
    OutboxStream jumbled = books.sale(UNITS);
    books.ledger().sink().apply(inOrder, history(inOrder, new Random(seed)));

    Random random = new Random(seed + 1);
    List<OutboxEntry> arriving = new ArrayList<>(history(jumbled, new Random(seed)));
    List<OutboxEntry> again = List.copyOf(arriving);
    again.forEach(
        entry -> {
          if (random.nextInt(3) == 0) {
            arriving.add(entry);
          }
        });
    Collections.shuffle(arriving, random);
    deliver(jumbled, arriving, random);
    // A replay from any offset.
    deliver(jumbled, again.subList(random.nextInt(again.size()), again.size()), random);

    assertThat(books(jumbled)).isEqualTo(books(inOrder));
  }

  /// As the relay does it: what a batch at odds with the rules of the books is refused, is tried
  /// again when others have been written.
  private static void deliver(OutboxStream sale, List<OutboxEntry> entries, Random random) {
    List<OutboxEntry> rest = new ArrayList<>(entries);
    for (int round = 0; !rest.isEmpty(); round++) {
      assertThat(round).as("rounds").isLessThan(entries.size() + 2);
      List<OutboxEntry> refused = new ArrayList<>();
      for (int from = 0; from < rest.size(); ) {
        int max = round == 0 ? 1 + random.nextInt(8) : 1;
        List<OutboxEntry> batch = rest.subList(from, Math.min(rest.size(), from + max));
        try {
          books.ledger().sink().apply(sale, batch);
        } catch (RuntimeException e) {
          refused.addAll(batch);
        }
        from += max;
      }
      rest = refused;
    }
  }

  private static List<OutboxEntry> history(OutboxStream sale, Random random) {
    History history = new History(sale.product());
    history.stock(1, UNITS);
    int steps = 5 + random.nextInt(30);
    for (int i = 0; i < steps; i++) {
      List<Order> orders = history.orders();
      if (orders.isEmpty() || random.nextInt(3) == 0) {
        reserve(history, random);
      } else {
        move(history, orders.get(random.nextInt(orders.size())), random, i);
      }
      if (random.nextInt(20) == 0) {
        history.nextEpoch();
      }
    }
    return history.entries();
  }

  private static void reserve(History history, Random random) {
    int session = random.nextInt(SESSIONS);
    int quantity = 1 + random.nextInt(2);
    if (free(history) >= quantity && !live(history, session)) {
      if (random.nextBoolean()) {
        history.reserve(session, quantity);
      } else {
        history.buy(session, quantity);
      }
    }
  }

  private static void move(History history, Order order, Random random, int step) {
    String payment = "pay-" + step;
    switch (order.status()) {
      case "pending" -> {
        switch (random.nextInt(4)) {
          case 0 -> history.expire(order);
          case 1 -> history.cancel(order);
          case 2 -> history.refundDue(order, payment, 1);
          default -> history.pay(order, payment);
        }
      }
      case "paid" -> {
        if (random.nextBoolean()) {
          history.refundDue(order, payment, 100);
        } else {
          history.refund(order, payment);
        }
      }
      case "expired", "cancelled" -> {
        if (random.nextBoolean()
            && free(history) >= order.quantity()
            && !live(history, order.session)) {
          history.pay(order, payment);
        } else {
          history.refundDue(order, payment, 100);
          history.refundStray(order, payment, random.nextBoolean() ? 100 : 90);
        }
      }
      default -> history.refundDue(order, payment, 50);
    }
  }

  private static boolean isLive(Order order) {
    return order.status().equals("pending") || order.status().equals("paid");
  }

  private static int free(History history) {
    return UNITS
        - history.orders().stream()
            .filter(LedgerOrderModelTest::isLive)
            .mapToInt(Order::quantity)
            .sum();
  }

  private static boolean live(History history, int session) {
    return history.orders().stream().anyMatch(o -> o.session == session && isLive(o));
  }

  /// All that stands in the books of a sale, without its number.
  private static List<String> books(OutboxStream sale) {
    List<String> lines = new ArrayList<>();
    String id = sale.product().value();
    for (String sql :
        List.of(
            "SELECT to_jsonb(t) - 'product_id' FROM sale_totals t WHERE product_id = $1",
            "SELECT to_jsonb(o) - 'product_id' FROM orders o WHERE product_id = $1 ORDER BY"
                + " order_id",
            """
            SELECT to_jsonb(e) - 'product_id' - 'recorded_at' FROM order_events e
            WHERE product_id = $1 ORDER BY epoch, seq
            """,
            """
            SELECT to_jsonb(r) - '{next_try_at,id,created_at}'::text[] FROM refunds r
            WHERE order_id LIKE 'order\\_' || $1 || '\\_%' ORDER BY order_id, payment_id
            """,
            "SELECT to_jsonb(p) - 'product_id' - 'updated_at' FROM outbox_positions p WHERE"
                + " product_id = $1")) {
      for (Row row : books.query(sql, id)) {
        lines.add(String.valueOf(row.getValue(0)).replace("order_" + id + "_", "order_"));
      }
    }
    return lines;
  }
}
