package fairgate.operator.live;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.sale.LiveCounters;
import fairgate.sale.ledger.LedgerFixture;
import io.vertx.sqlclient.Row;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SaleHistoryTest {
  private static final ProductId SALE = new ProductId("7");
  private static final ProductId OTHER = new ProductId("8");

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final SaleHistory history = node();

  @AfterEach
  void close() {
    books.close();
  }

  private SaleHistory node() {
    return new SaleHistory(new PostgresSaleMinutes(books.database()));
  }

  private static LiveCounters counters(long at, long joined) {
    return new LiveCounters(
        "open", 5, 5, 0, 0, joined, 0, 0, 0, 0, joined, 0, 0, 0, 1, 1, 1, 1, -1, at, 0, true, 0, 0,
        0);
  }

  /// Minutes with their joins and their version of the row.
  private List<String> rows() {
    return books
        .query(
            """
            SELECT product_id || ' ' || extract(epoch FROM minute)::int || ' ' || joined AS content,
              xmin::text AS version
            FROM sale_minutes ORDER BY product_id, minute
            """)
        .stream()
        .map(SaleHistoryTest::text)
        .toList();
  }

  private static String text(Row row) {
    return row.getString("content") + " v" + row.getString("version");
  }

  private List<String> contents() {
    return rows().stream().map(row -> row.replaceFirst(" v.*", "")).toList();
  }

  @Test
  void aMinuteIsWrittenOnceUnlessSomethingHappens() {
    history.sample(SALE, counters(60_000, 1));
    history.sample(OTHER, counters(61_000, 4));
    history.flush();
    List<String> first = rows();
    assertThat(contents()).containsExactly("7 60 1", "8 60 4");
    history.sample(SALE, counters(65_000, 1));
    history.flush();
    SaleHistory otherNode = node();
    otherNode.sample(SALE, counters(66_000, 1));
    otherNode.flush();
    assertThat(rows()).as("nothing has happened").isEqualTo(first);
    history.sample(SALE, counters(70_000, 3));
    history.flush();
    assertThat(contents()).containsExactly("7 60 3", "8 60 4");
    history.sample(SALE, counters(125_000, 3));
    history.flush();
    assertThat(contents()).as("a measured minute").containsExactly("7 60 3", "7 120 3", "8 60 4");
  }

  @Test
  void refusalsAreAddedToTheMinute() {
    history.sample(SALE, counters(60_000, 1));
    for (int i = 0; i < 2; i++) {
      history.refused(SALE, ErrorCode.INSUFFICIENT_STOCK);
      history.flush();
    }
    assertThat(
            books.number("SELECT refused FROM sale_refusals WHERE reason = 'INSUFFICIENT_STOCK'"))
        .isEqualTo(2);
  }
}
