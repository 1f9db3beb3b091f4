package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// The table `refunds`, written by the ledger from `refund_due` events and by `unplaced` with
/// payments that no order could take. A worker takes a row by moving its next try ahead, in one
/// short transaction that skips locked rows.
record PostgresRefunds(PostgresDatabase database) implements RefundStore {
  private static final String TAKE =
      """
      WITH next AS MATERIALIZED (
        SELECT order_id, payment_id, part FROM refunds
        WHERE state IN ('due', 'waiting') AND next_try_at <= now()
        ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE refunds r SET state = 'due', tries = tries + 1, next_try_at = now() + $2 * interval '1 millisecond'
      FROM next WHERE r.order_id = next.order_id AND r.payment_id = next.payment_id
        AND r.part = next.part
      RETURNING r.order_id, r.payment_id, r.part, amount, currency, cause, tries
      """;
  private static final String DONE =
      """
      UPDATE refunds SET state = 'done', done_at = now(), answer = 'refunded'
      WHERE order_id = $1 AND payment_id = $2 AND part = $3 AND state <> 'done'
      """;
  private static final String POSTPONE =
      """
      UPDATE refunds SET next_try_at = now() + $4 * interval '1 millisecond', answer = $5
      WHERE order_id = $1 AND payment_id = $2 AND part = $3 AND state = 'due'
      """;
  private static final String FAILED =
      """
      UPDATE refunds SET state = 'failed', answer = $4
      WHERE order_id = $1 AND payment_id = $2 AND part = $3 AND state = 'due'
      """;
  private static final String PARK =
      """
      UPDATE refunds SET state = 'waiting', answer = $1
      WHERE state = 'due' AND next_try_at <= now()
      """;
  private static final String UNPLACED =
      """
      INSERT INTO refunds (order_id, payment_id, amount, currency, state, cause)
      VALUES ($1, $2, $3, $4, 'unplaced', $5) ON CONFLICT DO NOTHING
      """;
  private static final String OPEN =
      """
      SELECT state, count(*) AS n FROM refunds WHERE state NOT IN ('done', 'given_up')
      GROUP BY state
      """;
  private static final String COLUMNS =
      """
      SELECT r.*, p.order_id AS paid_order FROM refunds r LEFT JOIN payments p USING (payment_id)
      """;
  private static final String LIST =
      COLUMNS + " WHERE r.state = ANY($1::text[]) AND r.id < $2 ORDER BY r.id DESC LIMIT $3";
  private static final String OF = COLUMNS + " WHERE r.order_id = $1 ORDER BY r.id";
  private static final String LOCK = COLUMNS + " WHERE r.id = $1 FOR UPDATE OF r";
  private static final String DECIDE =
      """
      UPDATE refunds SET state = $2, decided_by = $3, decision_reason = $4, next_try_at = now(),
        done_at = CASE WHEN $2 = 'done' THEN now() ELSE done_at END
      WHERE id = $1
      """;

  @Override
  public List<DueRefund> take(int max, Duration lease) {
    return database.list(TAKE, PostgresRefunds::due, max, (double) lease.toMillis());
  }

  @Override
  public void done(DueRefund due) {
    int _ = database.update(DONE, due.order(), due.payment().id(), due.part());
  }

  @Override
  public void postpone(DueRefund due, Duration wait, String answer) {
    int _ =
        database.update(
            POSTPONE,
            due.order(),
            due.payment().id(),
            due.part(),
            (double) wait.toMillis(),
            answer);
  }

  @Override
  public void failed(DueRefund due, String answer) {
    int _ = database.update(FAILED, due.order(), due.payment().id(), due.part(), answer);
  }

  @Override
  public int park(String why) {
    return database.update(PARK, why);
  }

  @Override
  public void unplaced(String order, Payment payment, String cause) {
    Money money = payment.amount();
    int _ =
        database.update(UNPLACED, order, payment.id(), money.minorUnits(), money.currency(), cause);
  }

  @Override
  public Map<Refund.State, Long> open() {
    Map<Refund.State, Long> counts = new EnumMap<>(Refund.State.class);
    for (Row row : database.rows(OPEN)) {
      counts.put(Refund.State.of(row.getString("state")), row.getLong("n"));
    }
    return counts;
  }

  /// Lists refunds in one of the states, newest first, with numbers below `before`.
  List<Refund> list(Set<Refund.State> states, long before, int max) {
    Object words = states.stream().map(Refund.State::word).toArray(String[]::new);
    return database.list(LIST, PostgresRefunds::refund, words, before, max);
  }

  /// Lists the refunds of an order, oldest first.
  List<Refund> of(String order) {
    return database.list(OF, PostgresRefunds::refund, order);
  }

  /// Moves a refund to another state in one transaction that locks its row, so that decisions and
  /// workers act one at a time.
  ///
  /// @param from the states that allow it
  /// @param first what has to happen before the new state is written
  RefundDesk.Outcome decide(
      long id,
      Refund.State to,
      Set<Refund.State> from,
      Refund.Decision decision,
      Consumer<Refund> first) {
    return database.tx(
        db -> {
          List<Row> rows = db.query(LOCK, id);
          if (rows.isEmpty()) {
            return new RefundDesk.Outcome.NotFound();
          }
          Refund refund = refund(rows.getFirst());
          if (refund.state() == to) {
            return new RefundDesk.Outcome.Done(refund);
          }
          if (!from.contains(refund.state())) {
            return new RefundDesk.Outcome.Conflict(refund);
          }
          first.accept(refund);
          db.update(DECIDE, id, to.word(), decision.actor(), decision.reason());
          return new RefundDesk.Outcome.Done(refund(db.query(LOCK, id).getFirst()));
        });
  }

  private static Refund refund(Row row) {
    String actor = row.getString("decided_by");
    return new Refund(
        row.getLong("id"),
        row.getString("order_id"),
        payment(row),
        row.getString("part"),
        Refund.State.of(row.getString("state")),
        row.getString("cause"),
        new Refund.Progress(
            row.getInteger("tries"),
            row.getString("answer"),
            row.getOffsetDateTime("created_at").toInstant(),
            row.getOffsetDateTime("next_try_at").toInstant(),
            row.getOffsetDateTime("done_at") == null
                ? null
                : row.getOffsetDateTime("done_at").toInstant()),
        row.getString("paid_order"),
        actor == null ? null : new Refund.Decision(actor, row.getString("decision_reason")));
  }

  private static Payment payment(Row row) {
    return new Payment(
        row.getString("payment_id"), new Money(row.getLong("amount"), row.getString("currency")));
  }

  private static DueRefund due(Row row) {
    return new DueRefund(
        row.getString("order_id"),
        payment(row),
        row.getString("part"),
        row.getString("cause"),
        row.getInteger("tries"));
  }
}
