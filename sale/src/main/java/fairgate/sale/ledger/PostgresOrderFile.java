package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;

/// Reads the events of orders and writes the operators' notes.
record PostgresOrderFile(PostgresDatabase database) implements OrderFile {
  private static final String FIND =
      "SELECT "
          + PostgresOrders.COLUMNS
          + " FROM orders WHERE platform = 'fairgate' AND order_id = $1";
  private static final String EVENTS =
      """
      SELECT epoch, seq, kind, status, version, at, reason, payment_id, refund_amount, refund_part
      FROM order_events WHERE order_id = $1 ORDER BY epoch, seq LIMIT 1000
      """;
  private static final String NOTES =
      "SELECT id, at, actor, note FROM order_notes WHERE order_id = $1 ORDER BY id LIMIT 1000";

  /// The rows of an order are few, and a note of the same text is written once.
  private static final String ADD_NOTE =
      """
      INSERT INTO order_notes (order_id, actor, note)
      SELECT $1, $2, $3 WHERE (SELECT count(*) FROM order_notes WHERE order_id = $1) < $4
      ON CONFLICT DO NOTHING
      """;

  private static final int MAX_NOTES = 1_000;

  @Override
  public Optional<LedgerOrder> find(OrderId id) {
    return database.first(FIND, PostgresOrders::order, id.value());
  }

  @Override
  public List<Event> events(OrderId id) {
    return database.list(EVENTS, PostgresOrderFile::event, id.value());
  }

  @Override
  public List<Note> notes(OrderId id) {
    return database.list(NOTES, PostgresOrderFile::note, id.value());
  }

  @Override
  public void addNote(OrderId id, String actor, String text) {
    database.update(ADD_NOTE, id.value(), actor, text, MAX_NOTES);
  }

  private static Event event(Row row) {
    return new Event(
        row.getLong("epoch"),
        row.getLong("seq"),
        row.getString("kind"),
        OrderStatus.of(row.getString("status")),
        row.getInteger("version"),
        row.getOffsetDateTime("at").toInstant(),
        row.getString("reason"),
        row.getString("payment_id"),
        row.getLong("refund_amount"),
        row.getString("refund_part"));
  }

  private static Note note(Row row) {
    return new Note(
        row.getLong("id"),
        row.getOffsetDateTime("at").toInstant(),
        row.getString("actor"),
        row.getString("note"));
  }
}
