package fairgate.gate.policy;

import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// Writes decisions as the decision log does.
public final class DecisionFixture {
  public static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  private static final int BATCH = 5_000;
  private static final String INSERT =
      """
      INSERT INTO risk_decisions (id, at, route, sale, subject, device, bundle, schema, features,
        score, band, action, reasons, shadow, shadows, applied, degraded, latency_us)
      SELECT id, at, 'join', '7', id, NULL, $1, 1, features, score, band, action,
        string_to_array(reasons, ','), string_to_array(shadow, ','), '{}', true, false, 40
      FROM unnest($2::text[], $3::timestamptz[], $4::bytea[], $5::int[], $6::text[], $7::text[],
        $8::text[], $9::text[]) AS t (id, at, features, score, band, action, reasons, shadow)
      """;
  private static final String OUTCOMES =
      "INSERT INTO risk_outcomes (decision, kind, at) SELECT d, k, now()"
          + " FROM unnest($1::text[], $2::text[]) AS t (d, k)";

  private DecisionFixture() {}

  /// Decides for `count` clients, one a second from [#START], and records the decisions as
  /// `d0000000`, ...
  ///
  /// @param outcome of each; empty for none
  public static void record(
      PostgresDatabase database,
      CompiledBundle bundle,
      int count,
      IntFunction<Features> features,
      IntFunction<String> outcome) {
    var _ =
        database.tx(
            db ->
                db.update(
                    "INSERT INTO risk_bundles (sha256, json) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    bundle.hash(),
                    bundle.bundle().json()));
    for (int from = 0; from < count; from += BATCH) {
      insert(database, bundle, from, Math.min(count, from + BATCH), features, outcome);
    }
  }

  static String id(int number) {
    return "d%07d".formatted(number);
  }

  private static void insert(
      PostgresDatabase database,
      CompiledBundle bundle,
      int from,
      int to,
      IntFunction<Features> features,
      IntFunction<String> outcome) {
    int size = to - from;
    String[] ids = new String[size];
    OffsetDateTime[] times = new OffsetDateTime[size];
    Buffer[] encoded = new Buffer[size];
    Integer[] scores = new Integer[size];
    String[] bands = new String[size];
    String[] actions = new String[size];
    String[] reasons = new String[size];
    String[] shadows = new String[size];
    List<String> decided = new ArrayList<>();
    List<String> kinds = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int number = from + i;
      Features one = features.apply(number);
      Assessment assessment = RiskEngine.assess(bundle, one);
      ids[i] = id(number);
      times[i] = OffsetDateTime.ofInstant(START.plusSeconds(number), ZoneOffset.UTC);
      encoded[i] = Buffer.buffer(one.encode());
      scores[i] = assessment.score();
      bands[i] = assessment.band().word();
      actions[i] = assessment.action().word();
      reasons[i] = String.join(",", DecisionReplay.reasonsOf(assessment));
      shadows[i] = String.join(",", assessment.shadow());
      if (!outcome.apply(number).isEmpty()) {
        decided.add(ids[i]);
        kinds.add(outcome.apply(number));
      }
    }
    var _ =
        database.tx(
            db -> {
              db.update(
                  INSERT,
                  bundle.hash(),
                  ids,
                  times,
                  encoded,
                  scores,
                  bands,
                  actions,
                  reasons,
                  shadows);
              return db.update(
                  OUTCOMES, decided.toArray(String[]::new), kinds.toArray(String[]::new));
            });
  }
}
