package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.sale.ledger.LedgerWait.Fact;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PostgresPaymentFactsTest {
  private static OrderId order(int number) {
    return OrderId.of(new ProductId("7"), "%026d".formatted(number));
  }

  private static Fact fact(int order, String payment) {
    return new Fact(order(order), payment);
  }

  @Test
  void aPaymentIsKnownAsItsOrdersOrAsOwedBack() {
    try (LedgerFixture books = LedgerFixture.fresh(TestEngines.shared())) {
      int _ =
          books
              .database()
              .tx(
                  db ->
                      db.update(
                              "INSERT INTO orders (platform, order_id, product_id, quantity, status,"
                                  + " payment_id) VALUES ('fairgate', $1, '7', 1, 'paid', 'p1'),"
                                  + " ('fairgate', $2, '7', 1, 'pending', NULL),"
                                  + " ('elsewhere', $3, '7', 1, 'paid', 'p3')",
                              order(1).value(),
                              order(2).value(),
                              order(3).value())
                          + db.update(
                              "INSERT INTO refunds (order_id, payment_id, amount, currency, state)"
                                  + " VALUES ($1, 'p9', 1, 'TWD', 'due')",
                              order(2).value()));
      PostgresPaymentFacts facts = new PostgresPaymentFacts(books.database());
      assertThat(
              facts
                  .known(
                      List.of(
                          fact(1, "p1"),
                          fact(1, "p2"),
                          fact(2, "p1"),
                          fact(2, "p9"),
                          fact(3, "p3"),
                          fact(4, "p1")))
                  .await())
          .containsExactlyInAnyOrder(fact(1, "p1"), fact(2, "p9"));
    }
  }
}
