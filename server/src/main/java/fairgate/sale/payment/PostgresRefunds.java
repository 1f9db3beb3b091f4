package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;

/// The table `refunds`, filled by the ledger from `refund_due` entries of the outbox. A row is
/// taken by moving its next try ahead, in one short transaction that skips rows other nodes are
/// taking.
final class PostgresRefunds implements RefundStore {
  private static final String TAKE =
      """
      WITH next AS MATERIALIZED (
        SELECT order_id, payment_id FROM refunds
        WHERE state = 'due' AND next_try_at <= now()
        ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE refunds r SET tries = tries + 1, next_try_at = now() + $2 * interval '1 millisecond'
      FROM next WHERE r.order_id = next.order_id AND r.payment_id = next.payment_id
      RETURNING r.order_id, r.payment_id, amount, currency, tries
      """;
  private static final String DONE =
      """
      UPDATE refunds SET state = 'done', done_at = now()
      WHERE order_id = $1 AND payment_id = $2 AND state <> 'done'
      """;
  private static final String POSTPONE =
      """
      UPDATE refunds SET next_try_at = now() + $3 * interval '1 millisecond'
      WHERE order_id = $1 AND payment_id = $2 AND state = 'due'
      """;
  private static final String FAILED =
      """
      UPDATE refunds SET state = 'failed' WHERE order_id = $1 AND payment_id = $2 AND state = 'due'
      """;

  private final PostgresDatabase database;

  PostgresRefunds(PostgresDatabase database) {
    this.database = database;
  }

  @Override
  public List<Due> take(int most, Duration lease) {
    return database.tx(db -> db.query(TAKE, most, (double) lease.toMillis())).stream()
        .map(PostgresRefunds::due)
        .toList();
  }

  @Override
  public void done(Due due) {
    int _ = database.tx(db -> db.update(DONE, due.order().value(), due.payment().id()));
  }

  @Override
  public void postpone(Due due, Duration wait) {
    int _ =
        database.tx(
            db ->
                db.update(
                    POSTPONE, due.order().value(), due.payment().id(), (double) wait.toMillis()));
  }

  @Override
  public void failed(Due due) {
    int _ = database.tx(db -> db.update(FAILED, due.order().value(), due.payment().id()));
  }

  private static Due due(Row row) {
    return new Due(
        new OrderId(row.getString("order_id")),
        new Payment(
            row.getString("payment_id"),
            new Money(row.getLong("amount"), row.getString("currency"))),
        row.getInteger("tries"));
  }
}
