package fairgate.gate.risk;

import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.Arrays;
import java.util.List;

/// Searches the decisions in PostgreSQL.
record PostgresDecisionSearch(PostgresDatabase database) implements DecisionSearch {
  private static final String SEARCH =
      """
      SELECT d.id, (extract(epoch FROM d.at) * 1000000)::bigint AS micros, d.route, d.sale, d.device,
        d.score, d.band, d.action, d.reasons, d.shadow, d.applied, d.degraded,
        ARRAY(SELECT o.kind FROM decision_outcomes o WHERE o.decision = d.id ORDER BY o.kind)
          AS outcomes
      FROM risk_decisions d
      WHERE d.at >= timestamptz 'epoch' + $1 * interval '1 millisecond'
        AND d.at < timestamptz 'epoch' + $2 * interval '1 millisecond'
        AND ($3::text IS NULL OR d.sale = $3)
        AND ($4::text IS NULL OR d.device = $4)
        AND (cardinality($5::text[]) = 0 OR d.action = ANY ($5))
        AND ($6::text IS NULL OR EXISTS
          (SELECT FROM unnest(d.reasons) r WHERE split_part(r, ':', 1) = $6))
        AND ($7::float8 IS NULL
          OR (d.at, d.id) < (timestamptz 'epoch' + $7 * interval '1 microsecond', $8::text))
      ORDER BY d.at DESC, d.id DESC LIMIT $9
      """;

  private static final String WON_APPEAL =
      "SELECT FROM risk_outcomes WHERE decision = $1 AND kind = 'appeal_won'";

  static boolean hasWonAppeal(Db db, String decision) {
    return !db.query(WON_APPEAL, decision).isEmpty();
  }

  @Override
  public List<Entry> page(Query query) {
    Cursor before = query.before();
    return database.list(
        SEARCH,
        PostgresDecisionSearch::entry,
        query.from(),
        query.to(),
        query.sale(),
        query.device(),
        query.actions().stream().map(RiskAction::word).toArray(String[]::new),
        query.reason(),
        before == null ? null : (double) before.micros(),
        before == null ? null : before.id(),
        query.limit());
  }

  private static Entry entry(Row row) {
    return new Entry(
        row.getString("id"),
        row.getLong("micros"),
        row.getString("route"),
        row.getString("sale"),
        row.getString("device"),
        row.getInteger("score"),
        row.getString("band"),
        row.getString("action"),
        Arrays.stream(row.getArrayOfStrings("reasons"))
            .map(PostgresDecisionSearch::reason)
            .toList(),
        List.of(row.getArrayOfStrings("shadow")),
        row.getBoolean("applied"),
        row.getBoolean("degraded"),
        List.of(row.getArrayOfStrings("outcomes")));
  }

  private static Reason reason(String text) {
    int cut = text.lastIndexOf(':');
    return new Reason(text.substring(0, cut), Integer.parseInt(text.substring(cut + 1)));
  }
}
