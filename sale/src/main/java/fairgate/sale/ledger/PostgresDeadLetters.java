package fairgate.sale.ledger;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink.DeadLetters;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresDatabase;
import java.util.TreeMap;

/// The table `dead_letters`.
record PostgresDeadLetters(PostgresDatabase database) implements DeadLetters {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final String PARK =
      """
      INSERT INTO dead_letters (product_id, stream_id, entry, error, tries)
      VALUES ($1, $2, $3::text::jsonb, $4, $5) ON CONFLICT DO NOTHING
      """;
  private static final String OPEN = "SELECT count(*) FROM dead_letters WHERE resolved_at IS NULL";

  @Override
  public void park(OutboxStream stream, OutboxEntry entry, String error, int tries) {
    ObjectNode json = MAPPER.createObjectNode();
    new TreeMap<>(entry.fields()).forEach((name, value) -> json.put(clean(name), clean(value)));
    var _ =
        database.update(
            PARK, stream.product().value(), entry.id(), json.toString(), clean(error), tries);
  }

  /// PostgreSQL cannot store U+0000.
  private static String clean(String text) {
    return text.replace('\u0000', '\uFFFD');
  }

  @Override
  public long open() {
    return database.tx(db -> db.query(OPEN).getFirst().getLong(0));
  }
}
