package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.payment.PaymentNotice.Dispute;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The table `payment_disputes`. A dispute that was decided stays so, in whatever order messages
/// arrive. Blocks: for virtual threads.
record PostgresDisputes(PostgresDatabase database) {
  private static final String NOTE =
      """
      INSERT INTO payment_disputes AS d (dispute_id, order_id, payment_id, amount, currency, state, reason, closed_at)
      VALUES ($1, $2, $3, $4, $5, $6::text, $7, CASE WHEN $6::text <> 'open' THEN now() END)
      ON CONFLICT (dispute_id) DO UPDATE SET state = excluded.state, closed_at = excluded.closed_at
        WHERE d.state = 'open' AND excluded.state <> 'open'
      """;

  /// Devices at the entrance ask for tickets that have changed.
  private static final String TOUCH_TICKETS =
      "UPDATE tickets SET changed_at = now() WHERE order_id = $1";

  private static final String OPEN =
      "SELECT count(*) AS n FROM payment_disputes WHERE state = 'open'";
  private static final String LIST =
      """
      SELECT * FROM payment_disputes WHERE ($1::text IS NULL OR state = $1) AND id < $2
      ORDER BY id DESC LIMIT $3
      """;
  private static final String OPEN_OF =
      "SELECT DISTINCT order_id FROM payment_disputes WHERE order_id = ANY ($1) AND state = 'open'";
  private static final String OF = "SELECT * FROM payment_disputes WHERE order_id = $1 ORDER BY id";

  /// Records a dispute or its decision. A repeat changes nothing.
  void note(OrderId order, PaymentNotice.Disputed notice) {
    Money money = notice.payment().amount();
    int _ =
        database.tx(
            db -> {
              int changed =
                  db.update(
                      NOTE,
                      notice.dispute(),
                      order.value(),
                      notice.payment().id(),
                      money.minorUnits(),
                      money.currency(),
                      notice.state().word(),
                      notice.reason());
              return changed == 0 ? 0 : db.update(TOUCH_TICKETS, order.value());
            });
  }

  long open() {
    return database.rows(OPEN).getFirst().getLong("n");
  }

  /// Lists disputes, newest first.
  ///
  /// @param before the number of the last one of the page before; Long.MAX_VALUE = the first page
  List<Dispute> list(Dispute.@Nullable State state, long before, int max) {
    String word = state == null ? null : state.word();
    return database.list(LIST, PostgresDisputes::dispute, word, before, max);
  }

  /// Lists the disputes of an order, oldest first.
  List<Dispute> of(OrderId order) {
    return database.list(OF, PostgresDisputes::dispute, order.value());
  }

  /// Those of the orders that have a dispute which is not decided.
  Set<OrderId> openOf(Collection<OrderId> orders) {
    String[] ids = orders.stream().map(OrderId::value).toArray(String[]::new);
    return database.rows(OPEN_OF, (Object) ids).stream()
        .map(row -> new OrderId(row.getString("order_id")))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Dispute dispute(Row row) {
    OffsetDateTime closed = row.getOffsetDateTime("closed_at");
    return new Dispute(
        row.getLong("id"),
        row.getString("dispute_id"),
        new OrderId(row.getString("order_id")),
        new Payment(
            row.getString("payment_id"),
            new Money(row.getLong("amount"), row.getString("currency"))),
        Dispute.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
        row.getString("reason"),
        row.getOffsetDateTime("opened_at").toInstant(),
        closed == null ? null : closed.toInstant());
  }
}
