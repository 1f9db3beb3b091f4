package fairgate.sale.ledger;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
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
record PostgresOrders(PostgresDatabase database) {
  static final String COLUMNS =
      """
      order_id, session_id, user_id, device, quantity, amount, currency, status, version, \
      created_at, updated_at, pay_by, paid_at, paid_version, payment_id\
      """;
  private static final String FIND =
      "SELECT " + COLUMNS + " FROM orders WHERE platform = 'fairgate' AND order_id = $1";

  private static final String DRAW_NUMBERS =
      "SELECT nextval('order_number_blocks') AS block, secret FROM order_number_secret";

  Future<Optional<LedgerOrder>> find(OrderId id) {
    return database.queryFirst(FIND, PostgresOrders::order, id.value());
  }

  /// Draws a block of order numbers.
  Future<OrderNumbers.Draw> drawNumbers() {
    return database
        .query(DRAW_NUMBERS)
        .map(List::getFirst)
        .map(row -> new OrderNumbers.Draw(row.getLong("block"), row.getString("secret")));
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
