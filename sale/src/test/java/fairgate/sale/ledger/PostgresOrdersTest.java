package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.events.OutboxStream;
import fairgate.sale.LedgerView;
import fairgate.sale.ledger.History.Order;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class PostgresOrdersTest {
  @SuppressWarnings("NullAway.Init")
  private static LedgerFixture books;

  private final OutboxStream sale = books.sale(10);
  private final History history = new History(sale.product());

  @BeforeAll
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
  }

  @AfterAll
  static void close() {
    books.close();
  }

  @Test
  void theViewForARebuildHasHeadsTotalsAndLiveOrders() {
    Order held = history.reserve(1, 2);
    Order paid = history.reserve(2, 1);
    history.pay(paid, "pay-2");
    history.refundDue(paid, "twice", 100);
    history.refundPart(paid, "pay-2", 30, "a1");
    history.refundPart(paid, "pay-2", 20, "b2");
    history.expire(history.reserve(3, 1));
    apply();

    LedgerView view = books.ledger().view();
    assertThat(view.heads().get(sale.product())).isEqualTo(new LedgerView.Head(1, 8, 8, 0, 2, 1));
    assertThat(view.totals(sale.product())).contains(new LedgerView.Totals(10, 2, 1, 1));
    List<LedgerView.KnownOrder> live = new ArrayList<>();
    view.orders(
        sale.product(),
        chunk ->
            chunk.stream()
                .filter(o -> String.valueOf(o.fields().get("status")).matches("pending|paid"))
                .forEach(live::add));
    assertThat(live).extracting(LedgerView.KnownOrder::id).containsExactly(held.id(), paid.id());
    assertThat(live.get(1).fields())
        .containsEntry("status", "paid")
        .containsEntry("first", "pending")
        .containsEntry("payment", "pay-2")
        .containsEntry("refund:twice", "1")
        .doesNotContainKey("refund:pay-2")
        .containsEntry("part:a1", "1")
        .containsEntry("part_amount:a1", "30")
        .containsEntry("part:b2", "1")
        .containsEntry("refund_parts", "50")
        .containsEntry("version", "2");
  }

  private void apply() {
    books.ledger().sink().apply(sale, history.entries());
  }
}
