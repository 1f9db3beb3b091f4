package fairgate.sale.webhook;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;

/// The table `webhook_deliveries`. A sender takes a row by moving its next try ahead, in one short
/// transaction that skips locked rows. Blocks: for virtual threads.
record PostgresDeliveries(PostgresDatabase database) {
  private static final String ADD =
      """
      INSERT INTO webhook_deliveries (id, type, body)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) ON CONFLICT DO NOTHING
      """;
  private static final String TAKE =
      """
      WITH next AS MATERIALIZED (
        SELECT id FROM webhook_deliveries WHERE state = 'due' AND next_try_at <= now()
        ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE webhook_deliveries d
      SET tries = tries + 1, next_try_at = now() + $2 * interval '1 millisecond'
      FROM next WHERE d.id = next.id
      RETURNING d.id, d.body, d.tries
      """;
  private static final String END =
      """
      UPDATE webhook_deliveries SET state = $2, answer = $3, ended_at = now()
      WHERE id = $1 AND state = 'due'
      """;
  private static final String POSTPONE =
      """
      UPDATE webhook_deliveries
      SET answer = $3, next_try_at = now() + $2 * interval '1 millisecond'
      WHERE id = $1 AND state = 'due'
      """;
  private static final String WAITING =
      "SELECT count(*) AS n FROM webhook_deliveries WHERE state = 'due'";
  private static final String FORGET =
      """
      DELETE FROM webhook_deliveries
      WHERE state <> 'due' AND ended_at < now() - $1 * interval '1 millisecond'
      """;

  /// A message to send.
  ///
  /// @param tries how often it was taken, this time included
  record DueDelivery(String id, String body, int tries) {}

  /// Adds messages to send; skips those added before.
  void add(List<OrderMessage> messages) {
    String[] ids = messages.stream().map(OrderMessage::id).toArray(String[]::new);
    String[] types = messages.stream().map(OrderMessage::type).toArray(String[]::new);
    String[] bodies = messages.stream().map(OrderMessage::body).toArray(String[]::new);
    int _ = database.update(ADD, ids, types, bodies);
  }

  /// Takes due messages. No node gets one of them again before the lease ends.
  List<DueDelivery> take(int max, Duration lease) {
    return database.list(TAKE, PostgresDeliveries::due, max, (double) lease.toMillis());
  }

  void done(DueDelivery due, String answer) {
    int _ = database.update(END, due.id(), "done", answer);
  }

  /// Marks a message as given up; it is kept for operators.
  void failed(DueDelivery due, String answer) {
    int _ = database.update(END, due.id(), "failed", answer);
  }

  void postpone(DueDelivery due, Duration wait, String answer) {
    int _ = database.update(POSTPONE, due.id(), (double) wait.toMillis(), answer);
  }

  long waiting() {
    return database.rows(WAITING).getFirst().getLong("n");
  }

  /// Deletes messages that ended before that time. Returns their number.
  int forget(Duration age) {
    return database.update(FORGET, (double) age.toMillis());
  }

  private static DueDelivery due(Row row) {
    return new DueDelivery(row.getString("id"), row.getString("body"), row.getInteger("tries"));
  }
}
