package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Many orders of one sale, and searches among them.
final class OrderLoad {
  private static final int CALLS = 100;
  private static final String FILL =
      """
      INSERT INTO orders (platform, order_id, product_id, session_id, user_id, device, quantity,
        amount, currency, status, version, created_at, paid_at, paid_version, payment_id)
      SELECT 'fairgate', 'order_' || $1 || '_' || lpad(n::text, 26, '0'), $1,
        'session' || n, 'user' || (n / 2), 'device' || (n / 2), 1, 100, 'TWD',
        (ARRAY['paid', 'paid', 'paid', 'paid', 'expired', 'cancelled', 'refunded', 'pending'])[1 + n % 8],
        2, now() - n * interval '1 second', now(), 2, 'pay' || n
      FROM generate_series($2::int, $3::int) n
      """;

  private final LedgerFixture books;
  private final ProductId product;

  OrderLoad(LedgerFixture books, ProductId product) {
    this.books = books;
    this.product = product;
  }

  record Case(String name, OrderSearch.Query query, OrderSearch.Query.Page page) {}

  static void fill(LedgerFixture books, ProductId product, int orders) {
    int each = 20_000;
    for (int i = 0; i < orders; i += each) {
      int from = i;
      int _ = books.database().tx(db -> db.update(FILL, product.value(), from + 1, from + each));
    }
    var _ = books.query("ANALYZE orders");
  }

  private OrderId id(int n) {
    return new OrderId("order_%s_%026d".formatted(product.value(), n));
  }

  private OrderSearch.Query query(
      @Nullable OrderStatus status,
      @Nullable String payment,
      @Nullable String user,
      @Nullable String device) {
    return new OrderSearch.Query(
        product, status, null, payment, user == null ? null : List.of(user), device, null, null);
  }

  List<Case> cases() {
    OrderSearch.Query.Page first = new OrderSearch.Query.Page(null, 100);
    List<Case> all = new ArrayList<>();
    all.add(new Case("newest page", OrderSearch.Query.ALL, first));
    all.add(
        new Case(
            "page in the middle",
            OrderSearch.Query.ALL,
            new OrderSearch.Query.Page(id(50_000), 100)));
    all.add(new Case("number", OrderSearch.Query.of(id(70_001).number()), first));
    all.add(new Case("payment", query(null, "pay77777", null, null), first));
    all.add(new Case("user", query(null, null, "user33333", null), first));
    all.add(new Case("device", query(null, null, null, "device333"), first));
    for (OrderStatus status : OrderStatus.values()) {
      all.add(new Case("status " + status.wire(), query(status, null, null, null), first));
    }
    Instant now = Instant.now();
    all.add(
        new Case(
            "one hour",
            new OrderSearch.Query(
                null,
                null,
                null,
                null,
                null,
                null,
                now.minusSeconds(40_000),
                now.minusSeconds(36_400)),
            first));
    return all;
  }

  /// The plan of a search.
  String plan(OrderSearch.Query query, OrderSearch.Query.Page page) {
    return books
        .database()
        .reading(
            db -> db.query("EXPLAIN " + OrderSearch.SEARCH, OrderSearch.arguments(query, page)))
        .stream()
        .map(row -> row.getString(0))
        .collect(Collectors.joining("\n"));
  }

  /// A percentile of the times of one search, in ms.
  double percentile(Case each, int percent) {
    long[] nanos = new long[CALLS];
    for (int i = 0; i < CALLS; i++) {
      long start = System.nanoTime();
      var _ = books.ledger().search().page(each.query(), each.page());
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    return nanos[Math.min(CALLS - 1, CALLS * percent / 100)] / 1e6;
  }
}
