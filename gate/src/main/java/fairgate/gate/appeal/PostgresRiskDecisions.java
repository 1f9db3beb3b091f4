package fairgate.gate.appeal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.gate.appeal.AppealFeature.OpenSale;
import fairgate.gate.appeal.AppealFeature.Seats;
import fairgate.gate.risk.Explanation;
import fairgate.kernel.ProductId;
import fairgate.platform.json.JsonText;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The decisions of the risk engine: its log in PostgreSQL, and the places that it seated behind
/// others. Blocks.
final class PostgresRiskDecisions implements StoredDecisions {
  private static final String HELD = "hold";
  private static final Duration LONGEST_PLACE = Duration.ofDays(7);
  private static final int PAGE = 1_000;

  /// The places that one amnesty moves. A repeat moves the next ones.
  static final int MAX_MOVED = 10_000;

  private static final String FIND =
      """
      SELECT id, sale, device, subject, network, route, score, band, action, reasons, told_reason,
        told_help, bundle, applied, degraded,
        (extract(epoch FROM at) * 1000)::bigint AS at_ms
      FROM risk_decisions WHERE id = $1
      """;
  private static final String ADD_OUTCOME =
      """
      INSERT INTO risk_outcomes (decision, kind, at, subject)
      SELECT id, $2, now(), subject FROM risk_decisions WHERE id = $1
      ON CONFLICT DO NOTHING
      """;

  /// Decisions that seated a place, a page after a time and id. Reasons are `code:points`.
  private static final String PLACES =
      """
      SELECT id, sale, at FROM risk_decisions
      WHERE at > now() - $3 * interval '1 millisecond' AND route IN ('join', 'purchase')
        AND bundle = $2 AND action IN ('seat_behind', 'hold') AND sale = ANY ($4::text[])
        AND EXISTS (SELECT FROM unnest(reasons) r WHERE split_part(r, ':', 1) = $1)
        AND ($5::timestamptz IS NULL OR (at, id) > ($5, $6))
      ORDER BY at, id LIMIT $7
      """;

  private final PostgresDatabase database;
  private final Supplier<List<OpenSale>> sales;
  private volatile Seats seats = (_, _, _) -> false;

  /// @param sales those that are on
  PostgresRiskDecisions(PostgresDatabase database, Supplier<List<OpenSale>> sales) {
    this.database = database;
    this.sales = sales;
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
    int _ = database.tx(db -> db.update(ADD_OUTCOME, ref, granted ? "appeal_won" : "appeal_lost"));
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

  @Override
  public int lift(String rule, String version) {
    if (!rule.startsWith(RuleVersion.OF_RISK)) {
      return 0;
    }
    String[] open = sales.get().stream().map(sale -> sale.product().value()).toArray(String[]::new);
    int moved = 0;
    List<Row> page = places(rule, version, open, null);
    while (!page.isEmpty() && moved < MAX_MOVED) {
      for (Row place : page) {
        moved += move(place, false) ? 1 : 0;
      }
      page = places(rule, version, open, page.getLast());
    }
    return moved;
  }

  /// @param after the last decision of the page before; null for the first page
  private List<Row> places(String rule, String version, String[] open, @Nullable Row after) {
    return database.reading(
        db ->
            db.query(
                PLACES,
                rule.substring(RuleVersion.OF_RISK.length()),
                version,
                (double) LONGEST_PLACE.toMillis(),
                open,
                after == null ? null : after.getOffsetDateTime("at"),
                after == null ? "" : after.getString("id"),
                PAGE));
  }

  /// The product of a claim need not be one of a sale.
  private static boolean isInSale(Row row) {
    return ProductId.isValid(row.getString("sale"));
  }

  @CanIgnoreReturnValue
  private boolean move(Row row, boolean behind) {
    return seats.move(sale(row), row.getString("id"), behind);
  }

  private static ProductId sale(Row row) {
    return new ProductId(row.getString("sale"));
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
