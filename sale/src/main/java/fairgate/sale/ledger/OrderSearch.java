package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Searches the orders of Fairgate for operators. Blocks: for virtual threads.
///
/// Each filter has an index; a guest's user is the device. A page begins below the time and id of
/// the last order of the page before, so new orders do not move the pages.
public final class OrderSearch {
  /// PostgreSQL plans each call with its values, so a filter that is null costs nothing.
  static final String SEARCH =
      "SELECT "
          + PostgresOrders.COLUMNS
          + """
           FROM orders WHERE platform = 'fairgate'
            AND ($1::text IS NULL OR product_id = $1)
            AND ($2::text IS NULL OR status = $2)
            AND ($3::text IS NULL OR right(order_id, 8) = $3)
            AND ($4::text IS NULL OR payment_id = $4)
            AND ($5::text[] IS NULL OR user_id = ANY ($5))
            AND ($6::text IS NULL OR (user_id = $6 AND device = $6)
              OR (device = $6 AND device <> user_id))
            AND ($7::timestamptz IS NULL OR created_at >= $7)
            AND ($8::timestamptz IS NULL OR created_at < $8)
            AND ($9::text IS NULL OR (created_at, order_id) <
              (SELECT o.created_at, o.order_id FROM orders o
               WHERE o.platform = 'fairgate' AND o.order_id = $9))
          ORDER BY created_at DESC, order_id DESC LIMIT $10
          """;

  private static final int CHUNK = 2_000;

  private final PostgresDatabase database;

  OrderSearch(PostgresDatabase database) {
    this.database = database;
  }

  public List<LedgerOrder> page(Query query, Query.Page page) {
    return database.list(SEARCH, PostgresOrders::order, arguments(query, page));
  }

  /// Passes all orders that match to the consumer in chunks, newest first. Memory is bounded by one
  /// chunk.
  public void forEachChunk(Query query, Consumer<List<LedgerOrder>> consumer) {
    OrderId after = null;
    while (true) {
      List<LedgerOrder> chunk = page(query, new Query.Page(after, CHUNK));
      if (!chunk.isEmpty()) {
        consumer.accept(chunk);
      }
      if (chunk.size() < CHUNK) {
        return;
      }
      after = chunk.getLast().id();
    }
  }

  static @Nullable Object[] arguments(Query query, Query.Page page) {
    ProductId product = query.product();
    OrderStatus status = query.status();
    OrderNumber number = query.number();
    List<String> users = query.users();
    OrderId after = page.after();
    return new @Nullable Object[] {
      product == null ? null : product.value(),
      status == null ? null : status.wire(),
      number == null ? null : number.tail(),
      query.payment(),
      users == null ? null : users.toArray(String[]::new),
      query.device(),
      time(query.from()),
      time(query.to()),
      after == null ? null : after.value(),
      page.size()
    };
  }

  private static @Nullable OffsetDateTime time(@Nullable Instant at) {
    return at == null ? null : at.atOffset(ZoneOffset.UTC);
  }

  /// A search for orders; null = any.
  ///
  /// @param payment the provider's id of the payment that paid the order
  /// @param users the buyer's references as in the orders, one of them
  /// @param device the keyed hash of the browser
  /// @param from the earliest time of the purchase
  /// @param to the time before which it was
  public record Query(
      @Nullable ProductId product,
      @Nullable OrderStatus status,
      @Nullable OrderNumber number,
      @Nullable String payment,
      @Nullable List<String> users,
      @Nullable String device,
      @Nullable Instant from,
      @Nullable Instant to) {
    public static final Query ALL = new Query(null, null, null, null, null, null, null, null);

    public static Query of(OrderNumber number) {
      return new Query(null, null, number, null, null, null, null, null);
    }

    /// A page of the results, newest first.
    ///
    /// @param after the last order of the page before; null = the first page
    public record Page(@Nullable OrderId after, int size) {}
  }
}
