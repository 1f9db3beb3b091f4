package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.OrderId;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.sale.ledger.History.Order;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class OrderSearchTest {
  @SuppressWarnings("NullAway.Init")
  private static LedgerFixture books;

  private final OutboxStream sale = books.sale(100);
  private final History history = new History(sale.product());

  @BeforeAll
  static void open() {
    books = LedgerFixture.fresh(TestEngines.shared());
  }

  @AfterAll
  static void close() {
    books.close();
  }

  private void apply() {
    books.ledger().sink().apply(sale, history.entries());
  }

  private static OrderId id(Order order) {
    return new OrderId(order.id());
  }

  private static List<OrderId> ids(List<LedgerOrder> orders) {
    return orders.stream().map(LedgerOrder::id).toList();
  }

  private List<OrderId> found(
      @Nullable OrderStatus status, @Nullable String payment, @Nullable String user) {
    return ids(
        books
            .ledger()
            .search()
            .page(
                new OrderSearch.Query(
                    sale.product(),
                    status,
                    null,
                    payment,
                    user == null ? null : List.of("nobody", user),
                    null,
                    null,
                    null),
                new OrderSearch.Query.Page(null, 100)));
  }

  @Test
  void anOrderIsFoundByEachOfItsFacts() {
    Order held = history.reserve(1, 2);
    Order paid = history.reserve(2, 1);
    history.pay(paid, "pay-search");
    apply();
    assertThat(found(OrderStatus.PENDING, null, null)).containsExactly(id(held));
    assertThat(found(null, "pay-search", null)).containsExactly(id(paid));
    assertThat(found(null, null, "user1")).containsExactly(id(held));
    assertThat(found(null, "pay-search", "user1")).isEmpty();
    OrderSearch.Query byNumber =
        new OrderSearch.Query(
            sale.product(), null, id(paid).number(), null, null, null, null, null);
    assertThat(ids(books.ledger().search().page(byNumber, new OrderSearch.Query.Page(null, 5))))
        .containsExactly(id(paid));
    Instant made = books.ledger().file().find(id(paid)).orElseThrow().standing().createdAt();
    OrderSearch.Query from =
        new OrderSearch.Query(sale.product(), null, null, null, null, "device2", made, null);
    OrderSearch.Query before =
        new OrderSearch.Query(sale.product(), null, null, null, null, "device2", null, made);
    assertThat(ids(books.ledger().search().page(from, new OrderSearch.Query.Page(null, 5))))
        .containsExactly(id(paid));
    assertThat(books.ledger().search().page(before, new OrderSearch.Query.Page(null, 5))).isEmpty();
  }

  @Test
  void newOrdersDoNotMoveThePages() {
    for (int i = 0; i < 5; i++) {
      history.reserve(i, 1);
    }
    apply();
    OrderSearch.Query all =
        new OrderSearch.Query(sale.product(), null, null, null, null, null, null, null);
    List<LedgerOrder> first =
        books.ledger().search().page(all, new OrderSearch.Query.Page(null, 2));
    history.reserve(6, 1);
    apply();
    List<LedgerOrder> second =
        books.ledger().search().page(all, new OrderSearch.Query.Page(first.getLast().id(), 2));
    assertThat(first).extracting(o -> o.buyer().user()).containsExactly("user4", "user3");
    assertThat(second).extracting(o -> o.buyer().user()).containsExactly("user2", "user1");
    List<OrderId> chunks = new ArrayList<>();
    books.ledger().search().forEachChunk(all, chunk -> chunks.addAll(ids(chunk)));
    assertThat(chunks).hasSize(6).doesNotHaveDuplicates();
  }

  @Test
  void theLedgerRefusesToReturnMoreThanWasPaid() {
    Order paid = history.reserve(1, 1);
    history.pay(paid, "pay-1");
    history.refundPart(paid, "pay-1", 60, "a");
    apply();
    history.refundPart(paid, "pay-1", 41, "b");
    assertThatThrownBy(this::apply)
        .isInstanceOf(PostgresRefusal.class)
        .hasMessageContaining("more than was paid");
    assertThat(books.number("SELECT sum(amount) FROM refunds WHERE order_id = $1", paid.id()))
        .isEqualTo(60);
  }

  @Test
  void theHistoryTellsPartsAndNotesAreWrittenOnce() {
    Order paid = history.reserve(1, 1);
    history.pay(paid, "pay-2");
    history.refundPart(paid, "pay-2", 60, "a");
    apply();
    List<OrderFile.Event> events = books.ledger().file().events(id(paid));
    assertThat(events)
        .extracting(OrderFile.Event::kind)
        .containsExactly("reserved", "confirmed", "refund_due");
    assertThat(events.getLast().part()).isEqualTo("a");
    assertThat(events.getLast().refund()).isEqualTo(60);
    for (String text : List.of("called", "called", "called again")) {
      books.ledger().file().addNote(id(paid), "ann", text);
    }
    assertThat(books.ledger().file().notes(id(paid)))
        .extracting(OrderFile.Note::text)
        .containsExactly("called", "called again");
  }

  /// The filters of 100,000 orders, each by its index. The plan is what makes a search fast; the
  /// times are printed, because a busy machine says nothing about the code.
  @Test
  void eachFilterUsesAnIndexAt100000Orders() {
    try (LedgerFixture large = LedgerFixture.fresh(TestEngines.shared())) {
      OutboxStream stream = large.sale(1);
      OrderLoad.fill(large, stream.product(), 100_000);
      OrderLoad load = new OrderLoad(large, stream.product());
      for (OrderLoad.Case each : load.cases()) {
        assertThat(load.plan(each.query(), each.page())).as(each.name()).doesNotContain("Seq Scan");
        System.out.printf(
            "%-28s p50 %5.1f ms  p99 %5.1f ms%n",
            each.name(), load.percentile(each, 50), load.percentile(each, 99));
      }
    }
  }
}
