package fairgate.sale.webhook;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;

/// Reads the table `webhook_deliveries` by the ids of messages.
final class PostgresOrderMessages implements OrderMessages {
  private static final String LIST =
      """
      SELECT id, type, state, tries, answer, created_at FROM webhook_deliveries
      WHERE id = ANY ($1::text[]) ORDER BY created_at, id
      """;
  private static final String RESEND =
      """
      UPDATE webhook_deliveries
      SET state = 'due', tries = 0, next_try_at = now(), ended_at = NULL
      WHERE id = (SELECT id FROM webhook_deliveries WHERE id = ANY ($1::text[])
        ORDER BY created_at DESC, id DESC LIMIT 1)
      RETURNING id
      """;

  private final PostgresDatabase database;

  PostgresOrderMessages(PostgresDatabase database) {
    this.database = database;
  }

  @Override
  public List<Sent> of(List<String> ids) {
    Object all = ids.toArray(String[]::new);
    return database.reading(db -> db.query(LIST, all)).stream()
        .map(PostgresOrderMessages::sent)
        .toList();
  }

  @Override
  public Optional<String> resend(List<String> ids) {
    Object all = ids.toArray(String[]::new);
    return database.tx(db -> db.query(RESEND, all)).stream()
        .map(row -> row.getString("id"))
        .findFirst();
  }

  private static Sent sent(Row row) {
    return new Sent(
        row.getString("id"),
        row.getString("type"),
        row.getString("state"),
        row.getInteger("tries"),
        row.getString("answer"),
        row.getOffsetDateTime("created_at").toInstant());
  }
}
