package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import java.util.Map;
import java.util.TreeMap;

/// Counts the generated codes that a guess could hit. Reads the whole table: for every few minutes.
record PostgresLiveCodes(PostgresDatabase database) {
  private static final String COUNT =
      """
      SELECT product_id, count(*) FROM redemption_codes
      WHERE state IN ('assigned', 'activated') AND source = 'generated' GROUP BY product_id
      """;

  Map<String, Long> byProduct() {
    Map<String, Long> counts = new TreeMap<>();
    database.query(COUNT).await().forEach(row -> counts.put(row.getString(0), row.getLong(1)));
    return counts;
  }
}
