package fairgate.gate.appeal;

import fairgate.gate.appeal.AppealFeature.Seats;
import fairgate.gate.appeal.DecisionLookup.RuleVersion;
import fairgate.gate.risk.Explanation;
import fairgate.kernel.ProductId;
import fairgate.platform.json.JsonText;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The decisions of the risk engine: its log in PostgreSQL, and the places that it seated behind
/// others. Blocks.
final class PostgresRiskDecisions implements StoredDecisions {
  private static final String HELD = "hold";

  private static final String WON = "appeal_won";
  private static final String LOST = "appeal_lost";

  private static final String FIND =
      """
      SELECT id, sale, device, subject, network, route, score, band, action, reasons, told_reason,
        told_help, bundle, applied, degraded,
        (extract(epoch FROM at) * 1000)::bigint AS at_ms
      FROM risk_decisions WHERE id = $1
      """;
  private static final String REMOVE_OUTCOME =
      "DELETE FROM risk_outcomes WHERE decision = $1 AND kind = $2";
  private static final String ADD_OUTCOME =
      """
      INSERT INTO risk_outcomes (decision, kind, at, subject)
      SELECT id, $2, now(), subject FROM risk_decisions WHERE id = $1
      ON CONFLICT DO NOTHING
      """;

  private final PostgresDatabase database;
  private volatile Seats seats = (_, _, _) -> {};

  PostgresRiskDecisions(PostgresDatabase database) {
    this.database = database;
  }

  void seats(Seats other) {
    seats = other;
  }

  @Override
  public Optional<Stored> find(String ref) {
    return row(ref).map(PostgresRiskDecisions::stored);
  }

  private Optional<Row> row(String ref) {
    return database.reading(db -> db.query(FIND, ref).stream().findFirst());
  }

  @Override
  public void decided(String ref, boolean granted) {
    int _ =
        database.tx(
            db -> {
              int _ = db.update(REMOVE_OUTCOME, ref, granted ? LOST : WON);
              return db.update(ADD_OUTCOME, ref, granted ? WON : LOST);
            });
    if (granted) {
      row(ref).filter(PostgresRiskDecisions::isInSale).ifPresent(row -> move(row, false));
    }
  }

  @Override
  public void seatBehind(String ref) {
    row(ref)
        .filter(PostgresRiskDecisions::isInSale)
        .filter(row -> row.getString("action").equals(HELD))
        .ifPresent(row -> move(row, true));
  }

  /// The product of a claim need not be one of a sale.
  private static boolean isInSale(Row row) {
    return ProductId.isValid(row.getString("sale"));
  }

  private void move(Row row, boolean behind) {
    seats.move(new ProductId(row.getString("sale")), row.getString("id"), behind);
  }

  private static Stored stored(Row row) {
    String sale = row.getString("sale");
    List<String> reasons = List.of(row.getArrayOfStrings("reasons"));
    List<String> rules =
        reasons.stream()
            .filter(reason -> !reason.contains(":-") && !reason.endsWith(":0"))
            .map(reason -> RuleVersion.OF_RISK + reason.substring(0, reason.indexOf(':')))
            .toList();
    return new Stored(
        code(row.getString("action")),
        ProductId.isValid(sale) ? new ProductId(sale) : null,
        rules.isEmpty() ? List.of(RuleVersion.SCORE) : rules,
        row.getString("bundle"),
        row.getLong("at_ms"),
        new Origin(
            sale, row.getString("device"), row.getString("subject"), row.getString("network")),
        told(row),
        evidence(row, reasons));
  }

  private static Explanation told(Row row) {
    String[] help = row.getArrayOfStrings("told_help");
    return Explanation.of(
        row.getString("told_reason"), help == null ? Stream.of() : Arrays.stream(help));
  }

  /// The error code of a refusal, else the action in capitals.
  private static String code(String action) {
    return switch (action) {
      case "refuse" -> "RISK_REFUSED";
      case "challenge", "slider", "code", "passkey" -> "CHALLENGE_REQUIRED";
      default -> action.toUpperCase(Locale.ROOT);
    };
  }

  private static String evidence(Row row, List<String> reasons) {
    JsonText all = JsonText.array();
    for (String reason : reasons) {
      all = all.add(reason);
    }
    return JsonText.object()
        .put("route", row.getString("route"))
        .put("score", row.getInteger("score"))
        .put("band", row.getString("band"))
        .put("action", row.getString("action"))
        .put("reasons", all)
        .put("bundle", row.getString("bundle"))
        .put("applied", row.getBoolean("applied"))
        .put("degraded", row.getBoolean("degraded"))
        .toString();
  }
}
