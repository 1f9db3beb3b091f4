package fairgate.sale.webhook;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads the table `webhook_deliveries` by the ids of messages.
///
/// @param isOn whether a receiver is configured
record PostgresOrderMessages(PostgresDatabase database, boolean isOn) implements OrderMessages {
  private static final String LIST =
      """
      SELECT id, type, state, tries, answer, created_at FROM webhook_deliveries
      WHERE id = ANY ($1::text[]) ORDER BY created_at, id
      """;
  private static final String PAGE =
      """
      SELECT id, type, state, tries, answer, created_at FROM webhook_deliveries
      WHERE ($1::text IS NULL OR state = $1) AND ($2::float8 IS NULL
        OR (created_at, id) < (timestamptz 'epoch' + $2 * interval '1 microsecond', $3::text))
      ORDER BY created_at DESC, id DESC LIMIT $4
      """;
  private static final String TEST =
      """
      INSERT INTO webhook_deliveries (id, type, body)
      VALUES ($1, 'webhook.test', json_build_object('type', 'webhook.test', 'timestamp',
        to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'data',
        json_build_object('id', $1::text))::text)
      """;
  private static final String RESEND =
      """
      UPDATE webhook_deliveries
      SET state = 'due', tries = 0, next_try_at = now(), ended_at = NULL
      WHERE id = (SELECT id FROM webhook_deliveries WHERE id = ANY ($1::text[])
        ORDER BY created_at DESC, id DESC LIMIT 1)
      RETURNING id
      """;

  @Override
  public List<Sent> page(@Nullable String state, @Nullable Cursor before, int limit) {
    return database.list(
        PAGE,
        PostgresOrderMessages::sent,
        state,
        before == null ? null : (double) before.micros(),
        before == null ? null : before.id(),
        limit);
  }

  @Override
  public Optional<String> test(String id) {
    if (!isOn) {
      return Optional.empty();
    }
    database.update(TEST, id);
    return Optional.of(id);
  }

  @Override
  public List<Sent> of(List<String> ids) {
    Object all = ids.toArray(String[]::new);
    return database.list(LIST, PostgresOrderMessages::sent, all);
  }

  @Override
  public Optional<String> resend(List<String> ids) {
    Object all = ids.toArray(String[]::new);
    return database.rows(RESEND, all).stream().map(row -> row.getString("id")).findFirst();
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
