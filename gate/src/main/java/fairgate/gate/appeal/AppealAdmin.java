package fairgate.gate.appeal;

import static fairgate.kernel.Role.SUPPORT;

import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanAdmin;
import fairgate.kernel.BidiControls;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `/api/admin/appeals`: the queue of appeals, their evidence, and decisions about them. A decision
/// is in force on this node when its response is sent, and on every node within a second.
final class AppealAdmin {
  private static final int LONGEST_TEXT = 500;
  private static final int LONGEST_NAME = 100;
  private static final long LAST = 4_102_444_800_000L;
  private static final long LONGEST_ALLOWANCE = Duration.ofDays(365).toSeconds();

  /// The audit log is searched this long before and after the decision.
  private static final long AROUND = Duration.ofMinutes(1).toMillis();

  private static final int MOST_EVENTS = 20;

  private final AppealService appeals;
  private final AuditLog audit;

  AppealAdmin(AppealService appeals, AuditLog audit) {
    this.appeals = appeals;
    this.audit = audit;
  }

  private enum Verdict {
    LIFT,
    ALLOW,
    REFUSE;

    String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/appeals",
                admin.guard(
                    AdminInput.query(
                        "state", "overdue", "product_id", "code", "rule", "after", "limit"),
                    this::list))
            .roles(SUPPORT),
        Route.blockingGet("/api/admin/appeals/{id}", admin.guard(this::one)).roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/appeals/{id}",
                admin.guard(
                    AdminInput.body("decision", "grade", "duration_seconds", "reason", "answer"),
                    this::decide))
            .roles(SUPPORT));
  }

  private Reply list(Request request) {
    int limit = AdminQuery.limit(request);
    Appeal.State state =
        AdminQuery.word(request, "state", Appeal.State.values(), Appeal.State::word);
    boolean overdue = AdminQuery.flag(request, "overdue");
    boolean queue = state == Appeal.State.OPEN;
    Cursor cursor = Cursor.of(request, queue);
    List<Appeal> page =
        appeals.list(
            new Appeal.Query(
                state,
                overdue,
                product(request),
                text(request, "code"),
                text(request, "rule"),
                cursor.due(),
                cursor.id(),
                limit));
    JsonText all = JsonText.array();
    for (Appeal appeal : page) {
      all = all.add(json(appeal));
    }
    JsonText body = JsonText.object().put("appeals", all);
    if (page.size() == limit) {
      body = body.put("after", Cursor.text(page.getLast(), queue));
    }
    return Reply.json(200, body.bytes());
  }

  /// The position after the last appeal of a page: its id, in the queue with its deadline.
  private record Cursor(long due, long id) {
    static Cursor of(Request request, boolean queue) {
      String text = request.query("after");
      if (text == null) {
        return new Cursor(0, 0);
      }
      if (!text.matches(queue ? "[0-9]{1,13}-[0-9]{1,18}" : "[0-9]{1,18}")) {
        throw new InvalidRequest("after", "bad_format");
      }
      int dash = text.indexOf('-');
      long due = dash < 0 ? 0 : Long.parseLong(text.substring(0, dash));
      if (due > LAST) {
        throw new InvalidRequest("after", "bad_format");
      }
      return new Cursor(due, Long.parseLong(text.substring(dash + 1)));
    }

    static String text(Appeal appeal, boolean queue) {
      return queue ? appeal.dueAt() + "-" + appeal.id() : Long.toString(appeal.id());
    }
  }

  private static @Nullable ProductId product(Request request) {
    String text = request.query("product_id");
    if (text != null && !ProductId.isValid(text)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    return text == null ? null : new ProductId(text);
  }

  private static @Nullable String text(Request request, String name) {
    String text = request.query(name);
    if (text != null && (text.isEmpty() || text.length() > LONGEST_NAME)) {
      throw new InvalidRequest(name, "bad_length", 1, LONGEST_NAME);
    }
    return text;
  }

  private Reply one(Request request) {
    return appeals
        .evidence(AdminQuery.id(request))
        .map(it -> Reply.json(200, json(it).bytes()).header("cache-control", "no-store"))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private Reply decide(Request request) {
    long id = AdminQuery.id(request);
    JsonBody body = request.json();
    Verdict verdict =
        AdminQuery.word("decision", body.text("decision"), Verdict.values(), Verdict::word);
    String reason = AdminInput.reason(body, LONGEST_TEXT);
    String answer = body.optionalText("answer", 0, LONGEST_TEXT);
    String told = answer == null ? "" : answer;
    if (BidiControls.in(told)) {
      throw body.problem("answer", "direction_control");
    }
    onlyFor(verdict, Verdict.ALLOW, body, "duration_seconds");
    onlyFor(verdict, Verdict.REFUSE, body, "grade");
    Appeal.Draft draft =
        switch (verdict) {
          case LIFT -> Appeal.Draft.lift(reason, told);
          case ALLOW ->
              Appeal.Draft.allow(
                  Duration.ofSeconds(body.longInteger("duration_seconds", 1, LONGEST_ALLOWANCE)),
                  reason,
                  told);
          case REFUSE -> Appeal.Draft.refuse(grade(body), reason, told);
        };
    return switch (appeals.decide(id, draft, AdminGuard.actor(request))) {
      case AppealOutcome.Decided.Done(Appeal appeal) -> Reply.json(200, json(appeal).bytes());
      case AppealOutcome.Decided.Before(Appeal appeal) ->
          Reply.refuse(
              Refusal.of(ErrorCode.APPEAL_STATE_CONFLICT).with("state", appeal.state().word()));
      case AppealOutcome.Decided.NotFound() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      case AppealOutcome.Decided.NoSubject() -> throw new InvalidRequest("decision", "no_subject");
      case AppealOutcome.Decided.NoBan() -> throw new InvalidRequest("grade", "no_ban");
      case AppealOutcome.Decided.ListFull(int limit) ->
          throw new InvalidRequest("", "list_full", limit);
      case AppealOutcome.Decided.EntryStays(long entry) ->
          throw new InvalidRequest("decision", "entry_stays", entry);
    };
  }

  private static Appeal.@Nullable Grade grade(JsonBody body) {
    return body.has("grade")
        ? AdminQuery.word("grade", body.text("grade"), Appeal.Grade.values(), Appeal.Grade::word)
        : null;
  }

  /// Refuses a field that belongs to another decision: it would have no effect.
  private static void onlyFor(Verdict verdict, Verdict owner, JsonBody body, String field) {
    if (verdict != owner && body.has(field)) {
      throw new InvalidRequest(field, "only_for", owner.word());
    }
  }

  private JsonText json(AppealService.Evidence evidence) {
    Appeal appeal = evidence.appeal();
    JsonText json = json(appeal);
    Appeal.Letter letter = evidence.letter();
    if (letter != null) {
      json = json.put("text", letter.text()).put("address", letter.client());
      json = letter.contact().isEmpty() ? json : json.put("contact", letter.contact());
    }
    Ban.Entry ban = evidence.ban();
    if (ban != null) {
      json = json.put("ban", BanAdmin.json(ban));
    }
    String decision = evidence.decision();
    if (decision != null) {
      json = json.putRaw("risk", decision);
    }
    return json.put("events", events(appeal.matter()));
  }

  /// What the audit log has about the decision.
  private JsonText events(Appeal.Matter matter) {
    JsonText events = JsonText.array();
    for (AuditLog.Entry entry :
        audit.search(
            new AuditLog.Query(
                matter.at() - AROUND,
                matter.at() + AROUND,
                null,
                Map.of("decision_id", matter.decision()),
                null,
                MOST_EVENTS))) {
      String content = entry.content();
      events = content == null ? events : events.add(entry.json());
    }
    return events;
  }

  private JsonText json(Appeal appeal) {
    Appeal.Matter matter = appeal.matter();
    Appeal.Filer filer = appeal.filer();
    ProductId product = matter.product();
    JsonText rules = JsonText.array();
    for (String rule : matter.rules()) {
      rules = rules.add(rule);
    }
    JsonText json =
        JsonText.object()
            .put("id", appeal.id())
            .put("decision_id", matter.decision())
            .put("state", appeal.state().word())
            .put("code", matter.code())
            .put("rules", rules)
            .put("version", matter.version())
            .put("refused_at", matter.at())
            .put("filed_at", appeal.filedAt())
            .put("on_sale", appeal.onSale())
            .put("due_at", appeal.dueAt())
            .put("overdue", appeals.isOverdue(appeal));
    json = product == null ? json : json.put("product_id", product.value());
    json = filer.device() == null ? json : json.put("device", filer.device());
    json = filer.account() == null ? json : json.put("account", filer.account());
    json = filer.sameBrowser() == null ? json : json.put("same_browser", filer.sameBrowser());
    json = filer.sameNetwork() == null ? json : json.put("same_network", filer.sameNetwork());
    Appeal.Ruling ruling = appeal.ruling();
    if (ruling == null) {
      return json;
    }
    Appeal.Grade grade = ruling.grade();
    json = grade == null ? json : json.put("grade", grade.word());
    return json.put("reason", ruling.reason())
        .put("answer", ruling.answer())
        .put("reviewer", ruling.reviewer())
        .put("decided_at", ruling.at());
  }
}
