package fairgate.operator.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.kernel.ProductId;
import fairgate.operator.live.SaleReport.Incident;
import fairgate.operator.live.SaleReport.Minute;
import fairgate.operator.live.SaleReport.Orders;
import fairgate.operator.live.SaleReport.Refunds;
import fairgate.operator.live.SaleReport.Refusals;
import fairgate.operator.live.SaleReport.Shares;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads the report of a sale from PostgreSQL, all parts from one snapshot. Blocks.
///
/// Networks are in the audit log only, so their shares cover the purchases that it still has.
final class PostgresSaleReports {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String ORDERS =
      """
      SELECT status, count(*) AS orders, coalesce(sum(quantity), 0)::bigint AS units,
        coalesce(sum(amount), 0)::bigint AS amount
      FROM orders WHERE platform = 'fairgate' AND product_id = $1 GROUP BY status
      """;
  private static final String REFUNDS =
      """
      SELECT r.state, count(*) AS refunds, sum(r.amount)::bigint AS amount
      FROM refunds r JOIN orders o ON o.platform = 'fairgate' AND o.order_id = r.order_id
      WHERE o.product_id = $1 GROUP BY r.state
      """;
  private static final int MOST_MINUTES = 20_000;
  private static final String MINUTES =
      """
      SELECT minute, joined, admitted, waiting FROM sale_minutes
      WHERE product_id = $1 ORDER BY minute LIMIT $2
      """;
  private static final String REFUSALS =
      """
      SELECT reason, sum(refused)::bigint AS refused FROM sale_refusals
      WHERE product_id = $1 GROUP BY reason ORDER BY 2 DESC, 1
      """;
  private static final String SHARES =
      """
      SELECT count(*) AS holders, coalesce(sum(units), 0)::bigint AS units,
        coalesce(max(units), 0)::bigint AS most,
        coalesce(sum(units) FILTER (WHERE place <= 10), 0)::bigint AS top
      FROM (SELECT sum(quantity) AS units, row_number() OVER (ORDER BY sum(quantity) DESC) AS place
        FROM (%s) AS sold WHERE holder IS NOT NULL GROUP BY holder) AS holders
      """;
  private static final String PAID =
      "SELECT %s AS holder, quantity FROM orders"
          + " WHERE platform = 'fairgate' AND product_id = $1 AND status = 'paid'";
  private static final String DEVICES = SHARES.formatted(PAID.formatted("device"));
  private static final String BUYERS = SHARES.formatted(PAID.formatted("user_id"));
  private static final String NETWORKS =
      SHARES.formatted(
          """
          SELECT a.net AS holder, o.quantity FROM orders o
          JOIN (SELECT substring(line from '"order":"([^"]+)"') AS order_id,
              substring(line from '"net":"([^"]+)"') AS net
            FROM audit_log CROSS JOIN LATERAL unnest(string_to_array(content, chr(10))) AS line
            WHERE kind = 'purchase' AND position('"product":"' || $1 || '"' IN content) > 0
              AND day BETWEEN (SELECT min(created_at)::date - 1 FROM orders
                               WHERE platform = 'fairgate' AND product_id = $1)
                          AND (SELECT max(created_at)::date + 1 FROM orders
                               WHERE platform = 'fairgate' AND product_id = $1)) a
            USING (order_id)
          WHERE o.platform = 'fairgate' AND o.product_id = $1 AND o.status = 'paid'
          """);

  /// The days limit the search, because the log has no index on paths.
  private static final String ACTS =
      """
      SELECT at, content FROM audit_log
      WHERE kind = 'admin' AND content IS NOT NULL AND day BETWEEN $2 AND $3
        AND content LIKE '%"result":"2%' AND content LIKE $1
      ORDER BY day, seq LIMIT 500
      """;

  private final PostgresDatabase database;

  PostgresSaleReports(PostgresDatabase database) {
    this.database = database;
  }

  /// The report of a sale, at any time in it or after it.
  SaleReport of(ProductId product) {
    return database.reading(db -> read(db, product));
  }

  private static SaleReport read(Db db, ProductId product) {
    String id = product.value();
    Map<String, Orders> orders = new HashMap<>();
    for (Row row : db.query(ORDERS, id)) {
      orders.put(
          row.getString("status"),
          new Orders(row.getLong("orders"), row.getLong("units"), row.getLong("amount")));
    }
    Map<String, Refunds> refunds = new HashMap<>();
    for (Row row : db.query(REFUNDS, id)) {
      refunds.put(
          row.getString("state"), new Refunds(row.getLong("refunds"), row.getLong("amount")));
    }
    List<Totals> minutes =
        db.query(MINUTES, id, MOST_MINUTES).stream().map(PostgresSaleReports::totals).toList();
    List<Incident> incidents = new ArrayList<>(gaps(minutes));
    incidents.addAll(acts(db, id, minutes));
    incidents.sort(Comparator.comparing(Incident::at));
    return new SaleReport(
        orders,
        refunds,
        minutes(minutes),
        db.query(REFUSALS, id).stream()
            .map(row -> new Refusals(row.getString("reason"), row.getLong("refused")))
            .toList(),
        shares(db, DEVICES, id),
        shares(db, BUYERS, id),
        shares(db, NETWORKS, id),
        incidents);
  }

  private static Shares shares(Db db, String sql, String product) {
    Row row = db.query(sql, product).getFirst();
    return new Shares(
        row.getLong("holders"), row.getLong("units"), row.getLong("most"), row.getLong("top"));
  }

  /// The totals of a sale at the end of a minute.
  record Totals(Instant at, long joined, long admitted, long waiting) {
    /// People who have left the line.
    long left() {
      return joined - waiting;
    }
  }

  private static Totals totals(Row row) {
    return new Totals(
        row.getOffsetDateTime("minute").toInstant(),
        row.getLong("joined"),
        row.getLong("admitted"),
        row.getLong("waiting"));
  }

  /// People leave the line in the order in which they joined, so the last one of a minute was
  /// served when as many had left the line as had joined by then.
  static List<Minute> minutes(List<Totals> totals) {
    List<Minute> minutes = new ArrayList<>();
    int served = 0;
    long joinedBefore = 0;
    long admittedBefore = 0;
    for (Totals now : totals) {
      while (served < totals.size() && totals.get(served).left() < now.joined()) {
        served++;
      }
      boolean someone = now.joined() > joinedBefore;
      Long wait =
          someone && served < totals.size()
              ? Math.max(0, Duration.between(now.at(), totals.get(served).at()).toSeconds())
              : null;
      minutes.add(
          new Minute(
              now.at(),
              now.joined() - joinedBefore,
              now.admitted() - admittedBefore,
              now.waiting(),
              wait));
      joinedBefore = now.joined();
      admittedBefore = now.admitted();
    }
    return minutes;
  }

  /// Minutes without measurements: every node, Redis or PostgreSQL was away.
  static List<Incident> gaps(List<Totals> totals) {
    List<Incident> gaps = new ArrayList<>();
    for (int i = 1; i < totals.size(); i++) {
      Instant from = totals.get(i - 1).at().plusSeconds(60);
      Instant to = totals.get(i).at();
      if (to.isAfter(from)) {
        gaps.add(new Incident(from, to, "unmeasured", ""));
      }
    }
    return gaps;
  }

  private static List<Incident> acts(Db db, String product, List<Totals> minutes) {
    if (minutes.isEmpty()) {
      return List.of();
    }
    LocalDate from = day(minutes.getFirst().at()).minusDays(1);
    LocalDate to = day(minutes.getLast().at()).plusDays(1);
    List<Incident> acts = new ArrayList<>();
    for (Row row : db.query(ACTS, "%/api/admin/products/" + product + "%", from, to)) {
      JsonNode event = event(row.getString("content"));
      String what = event.path("what").asText();
      if (what.matches("[A-Z]+ /api/admin/products/" + product + "(/.*)?")) {
        acts.add(
            new Incident(
                row.getOffsetDateTime("at").toInstant(),
                null,
                what,
                event.path("operator").asText()));
      }
    }
    return acts;
  }

  private static LocalDate day(Instant at) {
    return LocalDate.ofInstant(at, ZoneOffset.UTC);
  }

  private static JsonNode event(String content) {
    try {
      return JSON.readTree(content);
    } catch (JsonProcessingException _) {
      return JSON.createObjectNode();
    }
  }
}
