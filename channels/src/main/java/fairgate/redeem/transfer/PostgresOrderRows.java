package fairgate.redeem.transfer;

import fairgate.platform.postgres.Db;
import fairgate.redeem.code.OrderCodes;
import fairgate.redeem.transfer.RowReader.ImportRow;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Imported orders in the table `orders`, a batch per statement.
///
/// `import_hash` is the run of the import that wrote an order last: a second row of the same run
/// with other data contradicts its own file, and is ignored; an order of an earlier file is
/// updated. Platforms call a refunded order "closed", like one that was never paid: a closed order
/// that was paid before counts as refunded.
///
/// A file that is older than the one that wrote an order does not revert a refund or a payment:
/// otherwise, importing an export of last month again would give codes for refunded orders.
///
/// An order has the products that one file names for it. A later file with a single other product
/// corrects the only product, unless it was redeemed.
final class PostgresOrderRows {
  /// The target of each row: `line` is the product of the order that it updates. That is the row's
  /// own product if the order has it; otherwise the order's only one, which the row corrects. A row
  /// with other rows of its order adds a product, unless none of them is known (`other`): then the
  /// fate of the known products is unclear.
  ///
  /// The argument tells whether the file named the order before.
  private static final String INPUT =
      """
      WITH given AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[],
                             $6::timestamptz[], $7::timestamptz[]) WITH ORDINALITY
          AS i (platform, order_id, product_id, amount, status, paid_at, expires_at, n)),
      met AS (
        SELECT i.*, l.lines, l.exact, l.first, %s AS begun,
               count(*) OVER in_order AS together, bool_or(l.exact) OVER in_order AS meets
        FROM given i CROSS JOIN LATERAL (
          SELECT count(*) AS lines, min(o.product_id) AS first,
                 coalesce(bool_or(o.product_id = i.product_id), false) AS exact,
                 coalesce(bool_or(o.import_hash = $9), false) AS written
          FROM orders o WHERE o.platform = i.platform AND o.order_id = i.order_id) l
        WINDOW in_order AS (PARTITION BY i.platform, i.order_id)),
      input AS (
        SELECT *, CASE WHEN exact THEN product_id
                       WHEN lines = 1 AND together = 1 AND NOT begun THEN first END AS line,
               lines > 0 AND NOT (exact OR begun OR meets OR (lines = 1 AND together = 1)) AS other
        FROM met),
      known AS (
        SELECT i.n, i.other,
               (o.product_id, o.amount, o.currency, o.status, o.paid_at, o.expires_at)
                 IS NOT DISTINCT FROM
               (i.product_id, i.amount, CASE WHEN i.amount IS NOT NULL THEN $8 END,
                CASE WHEN o.status = 'refunded' AND i.status = 'cancelled' THEN o.status
                     ELSE i.status END,
                i.paid_at, i.expires_at) AS same,
               o.import_hash IS NOT DISTINCT FROM $9 AS here,
               r.product_id IS NOT NULL AND r.product_id <> i.product_id AS bound,
               coalesce((o.status = 'refunded' AND i.status IN ('paid', 'pending')
                         AND p.as_of > coalesce($10::timestamptz, '-infinity'::timestamptz))
                 OR (o.status = 'paid' AND i.status = 'pending' AND p.as_of > $10::timestamptz), false) AS older,
               o.status AS was, c.state AS code,
               c.state = 'revoked' AND (
                 SELECT e.actor FROM code_events e WHERE e.code_id = c.id
                 ORDER BY e.id DESC LIMIT 1) = 'system' AS by_refund
        FROM input i
        LEFT JOIN orders o
          ON o.platform = i.platform AND o.order_id = i.order_id AND o.product_id = i.line
        LEFT JOIN order_redemptions r
          ON r.platform = o.platform AND r.order_id = o.order_id AND r.product_id = o.product_id
        LEFT JOIN redemption_codes c ON c.id = r.code_id
        LEFT JOIN order_imports p ON p.id = split_part(o.import_hash, '.', 1)
        WHERE o.platform IS NOT NULL OR i.other)
      """;

  private static final String WRITE =
      INPUT.formatted("l.written")
          + """
          , wanted AS (
            SELECT i.* FROM input i LEFT JOIN known k ON k.n = i.n
            WHERE k.n IS NULL OR NOT (k.same OR k.here OR k.bound OR k.older OR k.other)),
          written AS (
            INSERT INTO orders
              (platform, order_id, product_id, amount, currency, status, paid_at, expires_at,
               import_hash, imported_at)
            SELECT i.platform, i.order_id, i.product_id, i.amount,
                   CASE WHEN i.amount IS NOT NULL THEN $8 END, i.status, i.paid_at, i.expires_at,
                   $9, now()
            FROM wanted i WHERE i.line IS NULL OR i.line = i.product_id
            ON CONFLICT (platform, order_id, product_id) DO UPDATE SET
              amount = excluded.amount, currency = excluded.currency,
              status = CASE WHEN orders.status IN ('paid', 'refunded') AND excluded.status = 'cancelled'
                            THEN 'refunded' ELSE excluded.status END,
              paid_at = excluded.paid_at,
              expires_at = excluded.expires_at, import_hash = excluded.import_hash,
              imported_at = now(), updated_at = now(), version = orders.version + 1),
          corrected AS (
            UPDATE orders o SET product_id = i.product_id, amount = i.amount,
              currency = CASE WHEN i.amount IS NOT NULL THEN $8 END,
              status = CASE WHEN o.status IN ('paid', 'refunded') AND i.status = 'cancelled'
                            THEN 'refunded' ELSE i.status END,
              paid_at = i.paid_at, expires_at = i.expires_at, import_hash = $9,
              imported_at = now(), updated_at = now(), version = o.version + 1
            FROM wanted i
            WHERE o.platform = i.platform AND o.order_id = i.order_id AND o.product_id = i.line
              AND i.line <> i.product_id),
          noted AS (
            INSERT INTO order_import_changes
              (import_id, run, platform, order_id, product_id, amount, currency, status, paid_at,
               expires_at, import_hash, version, became)
            SELECT split_part($9, '.', 1), split_part($9, '.', 2)::int, o.platform, o.order_id,
                   o.product_id, o.amount, o.currency, o.status, o.paid_at, o.expires_at,
                   o.import_hash, o.version, i.product_id
            FROM wanted i
            JOIN orders o
              ON o.platform = i.platform AND o.order_id = i.order_id AND o.product_id = i.line
            ON CONFLICT DO NOTHING)
          SELECT n, same, here, bound, older, other, was, code, by_refund FROM known\
          """;

  private static final String REHEARSE =
      INPUT.formatted(
              """
              EXISTS (SELECT FROM order_import_rehearsals h
                      WHERE h.import_id = split_part($9, '.', 1) AND h.platform = i.platform
                        AND h.order_id = i.order_id)\
              """)
          + """
          , marked AS (
            SELECT i.n, i.platform, i.order_id, i.product_id, i.other,
                   md5(concat_ws('|', i.amount, i.status, i.paid_at, i.expires_at)) AS content
            FROM input i),
          seen AS (
            SELECT m.n, h.content = m.content AS same
            FROM marked m
            JOIN order_import_rehearsals h
              ON h.import_id = split_part($9, '.', 1) AND h.platform = m.platform
                AND h.order_id = m.order_id AND h.product_id = m.product_id),
          noted AS (
            INSERT INTO order_import_rehearsals (import_id, platform, order_id, product_id, content)
            SELECT split_part($9, '.', 1), platform, order_id, product_id, content FROM marked
            WHERE NOT other
            ON CONFLICT DO NOTHING)
          SELECT m.n, coalesce(s.same, k.same) AS same, s.n IS NOT NULL AS here,
                 coalesce(k.bound, false) AS bound, coalesce(k.older, false) AS older, m.other, k.was,
                 k.code, k.by_refund
          FROM marked m LEFT JOIN seen s ON s.n = m.n LEFT JOIN known k ON k.n = m.n
          WHERE s.n IS NOT NULL OR k.n IS NOT NULL\
          """;

  private final Db db;
  private final String currency;
  private final String mark;
  private final @Nullable OffsetDateTime asOf;
  private final boolean dryRun;

  /// @param asOf the time up to which the file has orders; null if unknown
  /// @param currency of all amounts
  /// @param mark the run of the import
  PostgresOrderRows(Db db, String currency, String mark, @Nullable Instant asOf, boolean dryRun) {
    this.db = db;
    this.currency = currency;
    this.mark = mark;
    this.asOf = asOf == null ? null : asOf.atOffset(ZoneOffset.UTC);
    this.dryRun = dryRun;
  }

  /// Writes the rows, or determines the result without writing.
  void write(List<ImportRow> rows, BatchResult tally) {
    Map<Integer, Row> known = new HashMap<>();
    for (Row row : query(rows)) {
      known.put(row.getLong("n").intValue() - 1, row);
    }
    List<ImportRow> changed = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      ImportRow row = rows.get(i);
      Row found = known.get(i);
      if (found == null) {
        tally.added();
      } else if (found.getBoolean("same")) {
        count(found.getBoolean("here"), tally);
      } else if (found.getBoolean("here")) {
        tally.refuse(row, RowProblem.of("contradiction", row.order().id()));
      } else if (found.getBoolean("other")) {
        tally.refuse(row, RowProblem.of("other_products", row.order().id()));
      } else if (found.getBoolean("bound")) {
        tally.refuse(row, RowProblem.of("redeemed_otherwise", row.order().id()));
      } else if (found.getBoolean("older")) {
        tally.refuse(row, RowProblem.older(row.order().id(), found.getString("was")));
      } else {
        tally.updated();
        tally.codes(codes(row, found));
        changed.add(row);
      }
    }
    if (!dryRun) {
      var _ =
          OrderCodes.follow(
              db,
              changed.stream().map(row -> row.order().platform()).toArray(String[]::new),
              changed.stream().map(row -> row.order().id()).toArray(String[]::new));
    }
  }

  /// The effect on an order's issued code if the order gets the row's state.
  private static ImportJob.Codes codes(ImportRow row, Row known) {
    String code = known.getString("code");
    String was = known.getString("was");
    if (code == null || was == null) {
      return ImportJob.Codes.NONE;
    }
    boolean paid = row.status().equals("paid");
    boolean refunded =
        row.status().equals("refunded") || (row.status().equals("cancelled") && was.equals("paid"));
    return new ImportJob.Codes(
        refunded && code.equals("assigned") ? 1 : 0,
        paid && Boolean.TRUE.equals(known.getBoolean("by_refund")) ? 1 : 0,
        refunded && code.equals("activated") && !was.equals("refunded") ? 1 : 0);
  }

  private static void count(boolean here, BatchResult tally) {
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
        mark,
        asOf);
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
