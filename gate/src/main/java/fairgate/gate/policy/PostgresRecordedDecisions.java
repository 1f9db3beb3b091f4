package fairgate.gate.policy;

import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
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
import org.jspecify.annotations.Nullable;

/// Reads the tables of the decision log.
record PostgresRecordedDecisions(PostgresDatabase database) {
  private static final String COLUMNS =
      """
      id, at, route, sale, bundle, features, score,
        band, action, reasons, shadow
      """;
  private static final String LABELS =
      """
      , coalesce((SELECT string_agg(kind, ',') FROM decision_outcomes o WHERE o.decision = d.id), '')
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

  /// Decisions of a time from the newest to the oldest, beginning after a position.
  ///
  /// @param from inclusive
  /// @param before exclusive, together with the id
  /// @param beforeId decisions at that very time come after this id; empty for none of them
  /// @param withLabels whether to join the outcomes
  Future<List<RecordedDecision>> page(
      Instant from, Instant before, String beforeId, int size, boolean withLabels) {
    return database.queryList(
        withLabels ? PAGE_WITH_LABELS : PAGE_ONLY,
        PostgresRecordedDecisions::decision,
        micros(from),
        micros(before),
        beforeId,
        size);
  }

  Optional<RecordedDecision> find(String id) {
    return database.first(ONE, PostgresRecordedDecisions::decision, id);
  }

  /// The documents of all bundles that have decided, by SHA-256.
  Map<String, String> bundles() {
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
        row.getOffsetDateTime("at").toInstant(),
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
