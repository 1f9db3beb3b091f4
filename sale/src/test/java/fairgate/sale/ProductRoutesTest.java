package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ProductRoutes.LiveView;
import fairgate.sale.ledger.LedgerFixture;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProductRoutesTest {
  private static final ProductId ID = new ProductId("7");

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final Catalog catalog = Catalog.open(books.database());

  @AfterEach
  void close() {
    catalog.close();
    books.close();
  }

  private String json(Future<LiveCounters> read) {
    ProductRoutes routes =
        new ProductRoutes(catalog, new LiveView(_ -> read, Duration.ofMillis(200)));
    return routes.find(ID).result().orElseThrow();
  }

  /// As Redis answers.
  private static LiveCounters counters(String state, int free, int released) {
    List<String> fields = new ArrayList<>(Collections.nCopies(25, "0"));
    fields.set(0, state);
    fields.set(1, Integer.toString(free));
    fields.set(2, Integer.toString(released));
    return LiveCounters.parse(String.join("|", fields));
  }

  @Test
  void theUnitsLeftAreUnknownWhileRedisDoesNotAnswer() {
    var details = new Product.Details("a thing", "", new Money(100, "TWD"), 25, null);
    var _ = catalog.create(ID, details, SalePolicy.Preset.QUEUE.policy(), "test");
    assertThat(json(Future.failedFuture(new ServiceUnavailable("redis", Duration.ofSeconds(1)))))
        .contains("\"remaining_stock\":null,\"status\":\"scheduled\"");
    assertThat(json(Future.succeededFuture(counters("", 0, 0))))
        .as("before Redis knows the sale")
        .contains("\"remaining_stock\":25,\"status\":\"scheduled\"");
    assertThat(json(Future.succeededFuture(counters("open", 0, 0))))
        .as("before the first release")
        .contains("\"remaining_stock\":25,\"status\":\"open\"");
    assertThat(json(Future.succeededFuture(counters("open", 0, 25))))
        .contains("\"remaining_stock\":0,\"status\":\"sold_out\"");
  }
}
