package fairgate.redeem.transfer;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads codes for exports, and records the exports.
record PostgresCodeExports(PostgresDatabase database) {
  private static final String PAGE =
      """
      SELECT id, platform, order_id, product_id, code_hash, code_box, key_id, last4, source, state,
             assigned_at, activated_at, expires_at
      FROM redemption_codes
      WHERE id > $1 AND ($2 = '' OR product_id = $2) AND ($3 = '' OR state = $3)
      ORDER BY id LIMIT $4""";

  private static final String BEGIN =
      """
      INSERT INTO code_exports (actor, masked, reason, filter) VALUES ($1, $2, $3, $4)
      RETURNING id""";

  private static final String END =
      "UPDATE code_exports SET finished_at = now(), codes = $2 WHERE id = $1";

  private static final String NEWEST =
      """
      SELECT actor, masked, reason, filter, begun_at, finished_at, codes FROM code_exports
      ORDER BY id DESC LIMIT $1""";

  /// A code as the database keeps it.
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record ExportRow(
      long id, Names names, byte[] hash, byte[] box, String keyId, String last4, Life life) {
    record Names(String platform, String orderId, String productId) {}

    /// The lifecycle of a code; times that do not exist are empty.
    record Life(
        String source, String state, String assignedAt, String activatedAt, String expiresAt) {}
  }

  List<ExportRow> page(long after, ExportService.ExportFilter filter, int limit) {
    return database.reading(
        db ->
            db.query(PAGE, after, filter.product(), filter.state(), limit).stream()
                .map(PostgresCodeExports::kept)
                .toList());
  }

  /// Records the start of an export.
  long begin(String actor, boolean masked, String reason, ExportService.ExportFilter filter) {
    return database.tx(
        db -> db.query(BEGIN, actor, masked, reason, filter.toString()).getFirst().getLong(0));
  }

  void end(long id, long codes) {
    database.update(END, id, codes);
  }

  List<ExportService.ExportRecord> newest(int limit) {
    return database.reading(
        db ->
            db.query(NEWEST, limit).stream()
                .map(
                    row ->
                        new ExportService.ExportRecord(
                            row.getString(0),
                            row.getBoolean(1),
                            row.getString(2),
                            row.getString(3),
                            text(row.getOffsetDateTime(4)),
                            text(row.getOffsetDateTime(5)),
                            row.getLong(6)))
                .toList());
  }

  private static ExportRow kept(Row row) {
    return new ExportRow(
        row.getLong("id"),
        new ExportRow.Names(
            orEmpty(row.getString("platform")),
            orEmpty(row.getString("order_id")),
            row.getString("product_id")),
        bytes(row.getBuffer("code_hash")),
        bytes(row.getBuffer("code_box")),
        row.getString("key_id"),
        row.getString("last4"),
        new ExportRow.Life(
            row.getString("source"),
            row.getString("state"),
            text(row.getOffsetDateTime("assigned_at")),
            text(row.getOffsetDateTime("activated_at")),
            text(row.getOffsetDateTime("expires_at"))));
  }

  private static byte[] bytes(Buffer buffer) {
    return buffer.getBytes();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static String text(@Nullable OffsetDateTime time) {
    return time == null ? "" : time.toInstant().toString();
  }
}
