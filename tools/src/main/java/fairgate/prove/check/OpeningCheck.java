package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I16;

import java.sql.Connection;
import java.sql.SQLException;

/// Nothing is released or sold before a sale's `opens_at`, in the ledger of every product there is.
final class OpeningCheck {
  /// Units without a time of their own come at the opening.
  private static final String EARLY_UNITS =
      """
      SELECT p.id, count(b.seq) AS early FROM products p
      LEFT JOIN stock_batches b ON b.product_id = p.id AND b.due_at IS NULL
        AND b.released_at < p.opens_at
      WHERE p.opens_at IS NOT NULL AND p.id LIKE ? GROUP BY p.id
      """;

  private static final String EARLY_SALES =
      """
      SELECT p.id, count(e.seq) AS early FROM products p
      LEFT JOIN order_events e ON e.product_id = p.id AND e.kind = 'reserved' AND e.at < p.opens_at
      WHERE p.opens_at IS NOT NULL AND p.id LIKE ? GROUP BY p.id
      """;

  private static final String ANY = "%";

  private final InvariantResults tally;

  OpeningCheck(InvariantResults tally) {
    this.tally = tally;
  }

  void check(Connection sql) throws SQLException {
    for (LedgerSnapshot.Row row : LedgerSnapshot.rows(sql, EARLY_UNITS, ANY)) {
      tally.that(
          I16,
          row.number("early") == 0,
          "%s: %d batches were released before the opening",
          row.text("id"),
          row.number("early"));
    }
    for (LedgerSnapshot.Row row : LedgerSnapshot.rows(sql, EARLY_SALES, ANY)) {
      tally.that(
          I16,
          row.number("early") == 0,
          "%s: %d purchases before the opening",
          row.text("id"),
          row.number("early"));
    }
  }
}
