package fairgate.gate.risk;

import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.audit.AuditTally;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `/api/admin/suspects` and `/api/admin/decisions`: who joins, buys and is refused most, and the
/// decisions on risk with their reasons.
final class RiskAdmin {
  private static final long LAST = 4_102_444_800_000L;
  private static final int LONGEST = 200;
  private static final Duration SUSPECTS_DEADLINE = Duration.ofSeconds(20);

  /// The actions that take something from somebody.
  private static final List<RiskAction> ADVERSE =
      List.of(RiskAction.SEAT_BEHIND, RiskAction.HOLD, RiskAction.REFUSE);

  private final DecisionSearch decisions;
  private final AuditLog audit;
  private final Clock clock;

  RiskAdmin(DecisionSearch decisions, AuditLog audit, Clock clock) {
    this.decisions = decisions;
    this.audit = audit;
    this.clock = clock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/suspects",
                admin.guard(AdminInput.query("by", "sort", "from", "to", "limit"), this::suspects))
            .roles(SUPPORT)
            .withDeadline(SUSPECTS_DEADLINE),
        Route.blockingGet(
                "/api/admin/decisions",
                admin.guard(
                    AdminInput.query(
                        "product_id",
                        "device",
                        "action",
                        "adverse",
                        "reason",
                        "from",
                        "to",
                        "after",
                        "limit"),
                    this::list))
            .roles(SUPPORT));
  }

  private Reply suspects(Request request) {
    AuditTally.By by = AdminQuery.word(request, "by", AuditTally.By.values(), AuditTally.By::word);
    AuditTally.Sort sort =
        AdminQuery.word(request, "sort", AuditTally.Sort.values(), AuditTally.Sort::word);
    long to = to(request);
    AuditTally tally =
        new AuditTally(
            from(request, to),
            to,
            by == null ? AuditTally.By.DEVICE : by,
            sort == null ? AuditTally.Sort.REFUSALS : sort,
            AdminQuery.limit(request));
    JsonText lines = JsonText.array();
    for (AuditTally.Line line : audit.tally(tally)) {
      lines =
          lines.add(
              JsonText.object()
                  .put("name", line.name())
                  .put("joins", line.joins())
                  .put("purchases", line.purchases())
                  .put("refusals", line.refusals())
                  .put("last_at", line.lastAt())
                  .put("decision_id", line.decision())
                  .put("units", line.orders().units())
                  .put("amount", line.orders().amount())
                  .put("product_id", line.orders().product())
                  .put("network", line.network())
                  .put("networks", line.networks())
                  .put("agent", line.agent()));
    }
    return Reply.json(
        200, JsonText.object().put("by", tally.by().word()).put("suspects", lines).bytes());
  }

  private Reply list(Request request) {
    int limit = AdminQuery.limit(request);
    long to = to(request);
    List<DecisionSearch.Entry> page =
        decisions.page(
            new DecisionSearch.Query(
                from(request, to),
                to,
                product(request),
                text(request, "device"),
                actions(request),
                text(request, "reason"),
                after(request),
                limit));
    JsonText rows = JsonText.array();
    for (DecisionSearch.Entry entry : page) {
      rows = rows.add(json(entry));
    }
    JsonText body = JsonText.object().put("decisions", rows);
    if (page.size() == limit) {
      DecisionSearch.Cursor last = page.getLast().cursor();
      body = body.put("after", last.micros() + "." + last.id());
    }
    return Reply.json(200, body.bytes());
  }

  private static List<RiskAction> actions(Request request) {
    RiskAction action = AdminQuery.word(request, "action", RiskAction.values(), RiskAction::word);
    boolean adverse = AdminQuery.flag(request, "adverse");
    if (action == null) {
      return adverse ? ADVERSE : List.of();
    }
    if (adverse) {
      throw new InvalidRequest("adverse", "not_together", "action");
    }
    return List.of(action);
  }

  private long to(Request request) {
    return AdminQuery.number(request, "to", 0, LAST, clock.millis() + 1_000);
  }

  private static long from(Request request, long to) {
    return AdminQuery.number(
        request, "from", 0, LAST, Math.max(0, to - Duration.ofDays(1).toMillis()));
  }

  private static @Nullable String product(Request request) {
    String id = request.query("product_id");
    if (id != null && !ProductId.isValid(id)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    return id;
  }

  private static @Nullable String text(Request request, String name) {
    String text = request.query(name);
    if (text != null && (text.isEmpty() || text.length() > LONGEST)) {
      throw new InvalidRequest(name, "bad_length", 1, LONGEST);
    }
    return text;
  }

  private static DecisionSearch.@Nullable Cursor after(Request request) {
    String text = text(request, "after");
    if (text == null) {
      return null;
    }
    if (!text.matches("[0-9]{1,16}[.][A-Za-z0-9_-]+")) {
      throw new InvalidRequest("after", "bad_format");
    }
    int dot = text.indexOf('.');
    return new DecisionSearch.Cursor(
        Long.parseLong(text.substring(0, dot)), text.substring(dot + 1));
  }

  private static JsonText json(DecisionSearch.Entry entry) {
    JsonText reasons = JsonText.array();
    for (DecisionSearch.Reason reason : entry.reasons()) {
      reasons =
          reasons.add(JsonText.object().put("code", reason.code()).put("points", reason.points()));
    }
    JsonText shadow = JsonText.array();
    for (String code : entry.shadow()) {
      shadow = shadow.add(code);
    }
    JsonText outcomes = JsonText.array();
    for (String outcome : entry.outcomes()) {
      outcomes = outcomes.add(outcome);
    }
    return JsonText.object()
        .put("decision_id", entry.id())
        .put("at", entry.micros() / 1_000)
        .put("route", entry.route())
        .put("product_id", entry.sale())
        .put("device", entry.device())
        .put("score", entry.score())
        .put("band", entry.band())
        .put("action", entry.action())
        .put("reasons", reasons)
        .put("shadow", shadow)
        .put("applied", entry.applied())
        .put("degraded", entry.degraded())
        .put("outcomes", outcomes);
  }
}
