package fairgate.draw;

import fairgate.platform.postgres.PostgresDatabase;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/// Reads what pages tell of a finished draw. Calls block and are for virtual threads.
record PostgresOrder(PostgresDatabase database) {
  private static final String LENGTH =
      """
      SELECT coalesce(sum(octet_length(leaves)), 0)::bigint AS length
      FROM draw_result_parts WHERE draw = $1
      """;
  private static final String RANKS =
      "SELECT ranks FROM draw_rank_parts WHERE draw = $1 ORDER BY part";

  private static final String ABSENT =
      """
      SELECT kind, reason, count(*) AS count FROM draw_absences
      WHERE draw = $1 AND logged GROUP BY kind, reason ORDER BY kind, count DESC, reason LIMIT 100
      """;
  private static final String PASSED =
      """
      SELECT coalesce(reason, 'unpaid') AS reason, sum(passed)::bigint AS count FROM draw_offers
      WHERE draw = $1 AND passed > 0 GROUP BY 1 ORDER BY count DESC, reason LIMIT 100
      """;

  /// The length of the file `result` in bytes.
  long length(String draw) {
    return database.reading(
        db ->
            db.query(LENGTH, draw).stream()
                .mapToLong(row -> row.getLong("length"))
                .findFirst()
                .orElse(0));
  }

  /// The rank of each entry, by index.
  int[] ranks(String draw) {
    return database.reading(
        db ->
            db.query(RANKS, draw).stream()
                .map(row -> ByteBuffer.wrap(row.getBuffer("ranks").getBytes()).asIntBuffer())
                .flatMapToInt(part -> IntStream.range(0, part.limit()).map(part::get))
                .toArray());
  }

  /// The numbers of absent entries whose leaves are in the log, by kind and reason.
  List<DrawRecords.Count> absences(String draw) {
    return database.reading(
        db ->
            db.query(ABSENT, draw).stream()
                .map(
                    row ->
                        new DrawRecords.Count(
                            row.getString("kind"), row.getString("reason"), row.getLong("count")))
                .toList());
  }

  List<DrawRecords.Count> passes(String draw) {
    return database.reading(
        db ->
            db.query(PASSED, draw).stream()
                .map(
                    row ->
                        new DrawRecords.Count(
                            "passed", row.getString("reason"), row.getLong("count")))
                .toList());
  }
}
