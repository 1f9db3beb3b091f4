package fairgate.gate.policy;

import fairgate.gate.risk.Features;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Reads the tables of the decision log, page by page, newest first. Blocks.
public final class RecordedDecisions {
  private static final int PAGE = 5_000;
  private static final String COLUMNS =
      """
      id, (extract(epoch FROM at) * 1000000)::bigint AS at_us, route, sale, bundle, features, score,
        band, action, reasons, shadow
      """;
  private static final String LABELS =
      """
      , coalesce((SELECT string_agg(kind, ',') FROM risk_outcomes o WHERE o.decision = d.id), '')
        AS outcomes
      """;
  private static final String WITHOUT_LABELS = ", '' AS outcomes ";
  private static final String IN_RANGE =
      """
      FROM risk_decisions d
      WHERE at >= timestamptz 'epoch' + $1::bigint * interval '1 microsecond'
        AND at <= timestamptz 'epoch' + $2::bigint * interval '1 microsecond'
        AND (at, id) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3)
      ORDER BY at DESC, id DESC LIMIT $4
      """;
  private static final String PAGE_WITH_LABELS = "SELECT " + COLUMNS + LABELS + IN_RANGE;
  private static final String PAGE_ONLY = "SELECT " + COLUMNS + WITHOUT_LABELS + IN_RANGE;
  private static final String ONE =
      "SELECT " + COLUMNS + LABELS + " FROM risk_decisions d WHERE id = $1";
  private static final String BUNDLES = "SELECT sha256, json FROM risk_bundles";
  private static final String APPEALS =
      """
      SELECT o.kind, count(*) AS n FROM risk_outcomes o JOIN risk_decisions d ON d.id = o.decision
      WHERE d.bundle = $1 AND o.kind IN ('appeal_won', 'appeal_lost') GROUP BY o.kind
      """;

  private final PostgresDatabase database;

  public RecordedDecisions(PostgresDatabase database) {
    this.database = database;
  }

  /// Where the next page begins: before this time, us, and at it before this id.
  private record Position(long micros, String id) {}

  /// Passes the decisions of a range on, page by page. The next page is read while one is consumed.
  ///
  /// @param withLabels whether to join the outcomes
  public void forEachPage(
      DecisionRange range, boolean withLabels, Consumer<List<RecordedDecision>> consumer) {
    String sql = withLabels ? PAGE_WITH_LABELS : PAGE_ONLY;
    long from = micros(range.from());
    // No id is less than the empty text, so the end of the range is exclusive.
    Future<List<Row>> next = page(sql, from, new Position(micros(range.to()), ""), range.limit());
    long left = range.limit();
    while (true) {
      List<Row> rows = next.await();
      if (rows.isEmpty()) {
        return;
      }
      left -= rows.size();
      Row last = rows.getLast();
      Position position = new Position(last.getLong("at_us"), last.getString("id"));
      next = page(sql, from, position, left);
      consumer.accept(rows.stream().map(RecordedDecisions::decision).toList());
    }
  }

  private Future<List<Row>> page(String sql, long from, Position position, long left) {
    int size = (int) Math.min(PAGE, left);
    return size == 0
        ? Future.succeededFuture(List.of())
        : database.query(sql, from, position.micros(), position.id(), size);
  }

  /// A decision with its label.
  public Optional<RecordedDecision> find(String id) {
    return database.reading(
        db -> db.query(ONE, id).stream().findFirst().map(RecordedDecisions::decision));
  }

  /// The documents of all bundles that have decided, by SHA-256.
  public Map<String, String> bundles() {
    return database.reading(
        db -> {
          Map<String, String> all = new TreeMap<>();
          db.query(BUNDLES).forEach(row -> all.put(row.getString(0), row.getString(1)));
          return all;
        });
  }

  /// The appeals won and lost against decisions of a version.
  static long[] appeals(Db db, PolicyVersion version) {
    long[] counts = {0, 0};
    for (Row row : db.query(APPEALS, version.sha256())) {
      counts[row.getString("kind").equals("appeal_won") ? 0 : 1] = row.getLong("n");
    }
    return counts;
  }

  private static long micros(Instant at) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }

  private static RecordedDecision decision(Row row) {
    return new RecordedDecision(
        row.getString("id"),
        Instant.EPOCH.plus(row.getLong("at_us"), ChronoUnit.MICROS),
        row.getString("route"),
        row.getString("sale"),
        row.getString("bundle"),
        features(row.getBuffer("features").getBytes()),
        row.getInteger("score"),
        row.getString("band"),
        row.getString("action"),
        List.of(row.getArrayOfStrings("reasons")),
        List.of(row.getArrayOfStrings("shadow")),
        OutcomeLabel.of(row.getString("outcomes")));
  }

  private static @Nullable Features features(byte[] encoded) {
    try {
      return Features.decode(encoded);
    } catch (IllegalArgumentException _) {
      return null;
    }
  }
}
