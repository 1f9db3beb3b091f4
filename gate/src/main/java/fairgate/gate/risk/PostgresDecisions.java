package fairgate.gate.risk;

import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Writes and deletes the rows of `risk_decisions`. Blocks.
record PostgresDecisions(PostgresDatabase database) {
  private static final String INSERT_BUNDLES =
      """
      INSERT INTO risk_bundles (sha256, json) SELECT * FROM unnest($1::text[], $2::text[])
      ON CONFLICT DO NOTHING
      """;

  /// Codes contain no spaces, so a list of them is one text with spaces.
  private static final String INSERT =
      """
      INSERT INTO risk_decisions (id, at, route, sale, subject, device, network, bundle, schema,
        features, score, band, action, reasons, told_reason, told_help, shadow, shadows, applied,
        degraded, latency_us)
      SELECT id, to_timestamp(at / 1000.0), route, sale, subject, device, network, bundle, schema,
        features, score, band, action, string_to_array(reasons, ' '), told_reason,
        string_to_array(told_help, ' '), string_to_array(shadow, ' '),
        string_to_array(shadows, ' '), applied, degraded, latency_us
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
        $7::text[], $8::text[], $9::int[], $10::bytea[], $11::int[], $12::text[], $13::text[],
        $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::boolean[],
        $20::boolean[], $21::int[])
        AS t (id, at, route, sale, subject, device, network, bundle, schema, features, score, band,
          action, reasons, told_reason, told_help, shadow, shadows, applied, degraded, latency_us)
      ON CONFLICT DO NOTHING
      """;

  private static final String DELETE =
      """
      DELETE FROM risk_decisions WHERE id IN (
        SELECT id FROM risk_decisions WHERE at < now() - $1::bigint * interval '1 second'
        LIMIT 5000)
      """;

  /// Writes a batch in one transaction; a repeat changes nothing. Throws ServiceUnavailable while
  /// PostgreSQL is unavailable.
  ///
  /// @param documents of bundles by their hash
  void write(List<RiskDecision> batch, Map<String, String> documents) {
    var _ =
        database.tx(
            db -> {
              writeBundles(db, batch, documents);
              return writeRows(db, batch);
            });
  }

  private static void writeBundles(Db db, List<RiskDecision> batch, Map<String, String> documents) {
    Set<String> hashes =
        batch.stream().map(d -> d.assessment().bundleHash()).collect(Collectors.toSet());
    batch.forEach(d -> d.shadows().forEach(shadow -> hashes.add(shadow.bundleHash())));
    String[] keys = hashes.stream().sorted().toArray(String[]::new);
    String[] texts = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      texts[i] = documents.getOrDefault(keys[i], "");
    }
    db.update(INSERT_BUNDLES, keys, texts);
  }

  private static int writeRows(Db db, List<RiskDecision> batch) {
    Columns of = new Columns(batch);
    List<Subjects.Hashes> people = batch.stream().map(decision -> decision.hashes().get()).toList();
    return db.update(
        INSERT,
        of.column(String[]::new, RiskDecision::id),
        of.column(Long[]::new, RiskDecision::atMillis),
        of.column(String[]::new, d -> d.route().word()),
        of.column(String[]::new, RiskDecision::sale),
        people.stream().map(Subjects.Hashes::subject).toArray(String[]::new),
        people.stream().map(Subjects.Hashes::device).toArray(String[]::new),
        people.stream().map(Subjects.Hashes::network).toArray(String[]::new),
        of.column(String[]::new, d -> d.assessment().bundleHash()),
        of.column(Integer[]::new, d -> d.features().schema().version()),
        of.column(Buffer[]::new, d -> Buffer.buffer(d.features().encode())),
        of.column(Integer[]::new, d -> d.assessment().score()),
        of.column(String[]::new, d -> d.assessment().band().word()),
        of.column(String[]::new, d -> d.assessment().action().word()),
        of.column(String[]::new, PostgresDecisions::reasons),
        of.column(String[]::new, PostgresDecisions::toldReason),
        of.column(String[]::new, PostgresDecisions::toldHelp),
        of.column(String[]::new, d -> String.join(" ", d.assessment().shadow())),
        of.column(String[]::new, PostgresDecisions::shadows),
        of.column(Boolean[]::new, RiskDecision::applied),
        of.column(Boolean[]::new, RiskDecision::degraded),
        of.column(Integer[]::new, d -> (int) Math.min(Integer.MAX_VALUE, d.latencyMicros())));
  }

  private record Columns(List<RiskDecision> batch) {
    <T> @Nullable T[] column(
        IntFunction<@Nullable T[]> array, Function<RiskDecision, @Nullable T> value) {
      @Nullable T[] values = array.apply(batch.size());
      for (int i = 0; i < values.length; i++) {
        values[i] = value.apply(batch.get(i));
      }
      return values;
    }
  }

  private static String reasons(RiskDecision decision) {
    return decision.assessment().reasons().stream()
        .map(reason -> reason.code() + ':' + reason.points())
        .collect(Collectors.joining(" "));
  }

  private static @Nullable String toldReason(RiskDecision decision) {
    PublicReason reason = decision.reason();
    return reason == null ? null : reason.word();
  }

  /// Null when the buyer is told nothing.
  private static @Nullable String toldHelp(RiskDecision decision) {
    return decision.reason() == null
        ? null
        : decision.remedies().stream().map(Remedy::word).collect(Collectors.joining(" "));
  }

  private static String shadows(RiskDecision decision) {
    return decision.shadows().stream()
        .map(one -> one.bundleHash() + ':' + one.score() + ':' + one.action().word())
        .collect(Collectors.joining(" "));
  }

  /// Deletes some of the decisions that are older, with their outcomes; the number of them.
  int deleteOlder(Duration than) {
    return database.update(DELETE, than.toSeconds());
  }
}
