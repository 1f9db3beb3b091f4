package fairgate.sale.ledger;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.ledger.LedgerOrder.Buyer;
import fairgate.sale.ledger.LedgerOrder.Paid;
import fairgate.sale.ledger.LedgerOrder.State;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads orders of Fairgate.
final class PostgresOrders {
  static final String COLUMNS =
      """
      order_id, session_id, user_id, device, quantity, amount, currency, status, version, \
      created_at, updated_at, pay_by, paid_at, paid_version, payment_id\
      """;
  private static final String FIND =
      "SELECT " + COLUMNS + " FROM orders WHERE platform = 'fairgate' AND order_id = $1";

  /// Newest first. The page after an order begins below its time and id.
  private static final String PAGE =
      "SELECT "
          + COLUMNS
          + """
           FROM orders WHERE platform = 'fairgate'
            AND ($1::text IS NULL OR product_id = $1)
            AND ($2::text IS NULL OR status = $2)
            AND ($3::text IS NULL OR (created_at, order_id) <
              (SELECT o.created_at, o.order_id FROM orders o
               WHERE o.platform = 'fairgate' AND o.order_id = $3))
          ORDER BY created_at DESC, order_id DESC LIMIT $4
          """;

  private final PostgresDatabase database;

  PostgresOrders(PostgresDatabase database) {
    this.database = database;
  }

  Future<Optional<LedgerOrder>> find(OrderId id) {
    return database
        .query(FIND, id.value())
        .map(rows -> rows.stream().findFirst().map(PostgresOrders::order));
  }

  Future<List<LedgerOrder>> page(
      @Nullable ProductId product, @Nullable OrderStatus status, @Nullable OrderId after, int max) {
    return database
        .query(
            PAGE,
            product == null ? null : product.value(),
            status == null ? null : status.wire(),
            after == null ? null : after.value(),
            max)
        .map(rows -> rows.stream().map(PostgresOrders::order).toList());
  }

  static LedgerOrder order(Row row) {
    Integer paidVersion = row.getInteger("paid_version");
    return new LedgerOrder(
        new OrderId(row.getString("order_id")),
        new Buyer(row.getString("session_id"), row.getString("user_id"), row.getString("device")),
        row.getInteger("quantity"),
        new Money(row.getLong("amount"), row.getString("currency")),
        new State(
            OrderStatus.of(row.getString("status")),
            row.getInteger("version"),
            row.getOffsetDateTime("created_at").toInstant(),
            row.getOffsetDateTime("updated_at").toInstant(),
            instant(row.getOffsetDateTime("pay_by")),
            new Paid(
                paidVersion == null ? 0 : paidVersion,
                instant(row.getOffsetDateTime("paid_at")),
                row.getString("payment_id"))));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime at) {
    return at == null ? null : at.toInstant();
  }
}
