package fairgate.redeem.transfer;

import fairgate.platform.postgres.Db;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Imported orders in the table `orders`, a batch per statement.
///
/// `import_hash` names the run of the import that wrote an order last: a second row of the same run
/// that says something else contradicts the file itself, and does not count; an order of an earlier
/// file is brought up to date. Platforms call an order that was paid and given back "closed", as
/// they do one that never was paid: what was paid before is refunded then.
final class PostgresOrderRows {
  private static final String INPUT =
      """
      WITH input AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[],
                             $6::timestamptz[], $7::timestamptz[]) WITH ORDINALITY
          AS i (platform, order_id, product_id, amount, status, paid_at, expires_at, n)),
      known AS (
        SELECT i.n,
               (o.product_id, o.amount, o.currency, o.status, o.paid_at, o.expires_at)
                 IS NOT DISTINCT FROM
               (i.product_id, i.amount, CASE WHEN i.amount IS NOT NULL THEN $8 END,
                CASE WHEN o.status = 'refunded' AND i.status = 'cancelled' THEN o.status
                     ELSE i.status END,
                i.paid_at, i.expires_at) AS same,
               o.import_hash IS NOT DISTINCT FROM $9 AS here,
               r.product_id IS NOT NULL AND r.product_id <> i.product_id AS bound
        FROM input i
        JOIN orders o ON o.platform = i.platform AND o.order_id = i.order_id
        LEFT JOIN order_redemptions r
          ON r.platform = i.platform AND r.order_id = i.order_id)
      """;

  private static final String WRITE =
      INPUT
          + """
      , written AS (
        INSERT INTO orders
          (platform, order_id, product_id, amount, currency, status, paid_at, expires_at,
           import_hash, imported_at)
        SELECT i.platform, i.order_id, i.product_id, i.amount,
               CASE WHEN i.amount IS NOT NULL THEN $8 END, i.status, i.paid_at, i.expires_at,
               $9, now()
        FROM input i LEFT JOIN known k ON k.n = i.n
        WHERE k.n IS NULL OR NOT (k.same OR k.here OR k.bound)
        ON CONFLICT (platform, order_id) DO UPDATE SET
          product_id = excluded.product_id, amount = excluded.amount,
          currency = excluded.currency,
          status = CASE WHEN orders.status IN ('paid', 'refunded') AND excluded.status = 'cancelled'
                        THEN 'refunded' ELSE excluded.status END,
          paid_at = excluded.paid_at,
          expires_at = excluded.expires_at, import_hash = excluded.import_hash,
          imported_at = now(), updated_at = now(), version = orders.version + 1)
      SELECT n, same, here, bound FROM known""";

  private static final String REHEARSE =
      INPUT
          + """
      , marked AS (
        SELECT i.n, i.platform, i.order_id,
               md5(concat_ws('|', i.product_id, i.amount, i.status, i.paid_at, i.expires_at)) AS content
        FROM input i),
      seen AS (
        SELECT m.n, h.content = m.content AS same
        FROM marked m
        JOIN order_import_rehearsals h
          ON h.import_id = $9 AND h.platform = m.platform AND h.order_id = m.order_id),
      noted AS (
        INSERT INTO order_import_rehearsals (import_id, platform, order_id, content)
        SELECT $9, platform, order_id, content FROM marked
        ON CONFLICT DO NOTHING)
      SELECT m.n, coalesce(s.same, k.same) AS same, s.n IS NOT NULL AS here,
             coalesce(k.bound, false) AS bound
      FROM marked m LEFT JOIN seen s ON s.n = m.n LEFT JOIN known k ON k.n = m.n
      WHERE s.n IS NOT NULL OR k.n IS NOT NULL""";

  private final Db db;
  private final String currency;
  private final String mark;
  private final boolean dryRun;

  /// @param currency of all amounts
  /// @param mark names the run of the import
  PostgresOrderRows(Db db, String currency, String mark, boolean dryRun) {
    this.db = db;
    this.currency = currency;
    this.mark = mark;
    this.dryRun = dryRun;
  }

  /// Writes the rows, or finds out what writing them would do.
  void write(List<ImportRow> rows, Tally tally) {
    Map<Integer, Row> known = new HashMap<>();
    for (Row row : query(rows)) {
      known.put(row.getLong("n").intValue() - 1, row);
    }
    for (int i = 0; i < rows.size(); i++) {
      ImportRow row = rows.get(i);
      Row found = known.get(i);
      if (found == null) {
        tally.added();
      } else if (found.getBoolean("same")) {
        count(found.getBoolean("here"), tally);
      } else if (found.getBoolean("here")) {
        tally.refuse(row, RowProblem.of("contradiction", row.order().id()));
      } else if (found.getBoolean("bound")) {
        tally.refuse(row, RowProblem.of("redeemed_otherwise", row.order().id()));
      } else {
        tally.updated();
      }
    }
  }

  private static void count(boolean here, Tally tally) {
    if (here) {
      tally.duplicate();
    } else {
      tally.unchanged();
    }
  }

  private List<Row> query(List<ImportRow> rows) {
    if (rows.isEmpty()) {
      return List.of();
    }
    return db.query(
        dryRun ? REHEARSE : WRITE,
        texts(rows, row -> row.order().platform()),
        texts(rows, row -> row.order().id()),
        texts(rows, row -> row.order().product()),
        rows.stream().map(ImportRow::amount).toArray(Long[]::new),
        texts(rows, ImportRow::status),
        times(rows, ImportRow::paidAt),
        times(rows, ImportRow::expiresAt),
        currency,
        mark);
  }

  private static Object texts(List<ImportRow> rows, Function<ImportRow, String> of) {
    Object[] all = rows.stream().map(of).toArray();
    return Arrays.copyOf(all, all.length, String[].class);
  }

  private static Object times(List<ImportRow> rows, Function<ImportRow, @Nullable Instant> of) {
    OffsetDateTime[] all = new OffsetDateTime[rows.size()];
    for (int i = 0; i < all.length; i++) {
      Instant at = of.apply(rows.get(i));
      if (at != null) {
        all[i] = Objects.requireNonNull(at).atOffset(ZoneOffset.UTC);
      }
    }
    return all;
  }
}
