package fairgate.redeem.transfer;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The operators' own words for the status of an order, in PostgreSQL.
record PostgresStatusWords(PostgresDatabase database) {
  /// The number of unknown words in the report of an import.
  private static final int MAX_UNKNOWN = 20;

  private static final String MAP =
      """
      INSERT INTO import_status_words (normal, word, status, actor) VALUES ($1, $2, $3, $4)
      ON CONFLICT (normal) DO UPDATE SET
        word = excluded.word, status = excluded.status, actor = excluded.actor, mapped_at = now()\
      """;

  private static final String UNKNOWN =
      """
      SELECT detail->'arguments'->>0 AS word, count(*) AS rows FROM order_import_errors
      WHERE import_id = $1 AND problem = 'unknown_status'
      GROUP BY 1 ORDER BY rows DESC, word LIMIT $2\
      """;

  /// All words, for the rows of a file.
  StatusWords words() {
    Map<String, String> own = new HashMap<>();
    database
        .rows("SELECT normal, status FROM import_status_words")
        .forEach(row -> own.put(row.getString("normal"), row.getString("status")));
    return new StatusWords(own);
  }

  /// The operators' words in alphabetical order.
  List<ImportService.OwnWord> own() {
    return database.reading(
        db ->
            db.query("SELECT * FROM import_status_words ORDER BY word").stream()
                .map(PostgresStatusWords::own)
                .toList());
  }

  /// Gives a word a meaning, or another one.
  void map(String word, String status, String actor) {
    database.update(MAP, StatusWords.normal(word), word, status, actor);
  }

  void forget(String word) {
    database.update("DELETE FROM import_status_words WHERE normal = $1", StatusWords.normal(word));
  }

  /// The words of an import that are in no list, the most frequent first.
  List<ImportService.UnknownWord> unknown(String id) {
    return database.reading(
        db ->
            db.query(UNKNOWN, id, MAX_UNKNOWN).stream()
                .map(
                    row ->
                        new ImportService.UnknownWord(row.getString("word"), row.getLong("rows")))
                .toList());
  }

  private static ImportService.OwnWord own(Row row) {
    return new ImportService.OwnWord(
        row.getString("word"),
        row.getString("status"),
        row.getString("actor"),
        row.getOffsetDateTime("mapped_at").toInstant());
  }
}
