package fairgate.gate.policy;

import static fairgate.kernel.Role.OWNER;

import fairgate.gate.risk.RiskBundle;
import fairgate.kernel.BidiControls;
import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `/api/admin/policies`: versions of the risk policy. (The `policy` of a product is another thing:
/// how it is sold.) A change is in force on this node when its response is sent, and on every node
/// within a second.
final class PolicyAdmin {
  private static final int MAX_BODY = 1024 * 1024;
  private static final int LONGEST_NOTE = 500;
  private static final int MAX_PROBLEMS = 50;
  private static final long MAX_DECISIONS = 1_000_000;
  private static final long DEFAULT_DECISIONS = 100_000;
  private static final Duration BACKTEST_DEADLINE = Duration.ofSeconds(60);

  private final PolicyService policies;

  PolicyAdmin(PolicyService policies) {
    this.policies = policies;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/policies", admin.guard(AdminInput.query("before", "limit"), this::list))
            .roles(OWNER),
        Route.blockingPost(
                "/api/admin/policies",
                admin.guard(
                    AdminInput.document(
                        "note",
                        "parent",
                        "max_challenge_increase",
                        "max_refusal_increase",
                        "max_paid_refused",
                        "max_appeals_won",
                        "max_p99_micros"),
                    this::publish))
            .roles(OWNER)
            .withBodyLimit(MAX_BODY),
        Route.blockingPost(
                "/api/admin/policies/validate", admin.guard(AdminInput.document(), this::validate))
            .roles(OWNER)
            .withBodyLimit(MAX_BODY),
        Route.blockingGet("/api/admin/policies/{version}", admin.guard(this::one)).roles(OWNER),
        Route.blockingPost(
                "/api/admin/policies/{version}/backtest",
                admin.guard(AdminInput.body("from", "to", "limit"), this::backtest))
            .roles(OWNER)
            .withDeadline(BACKTEST_DEADLINE),
        Route.blockingPost(
                "/api/admin/policies/{version}/canary",
                admin.guard(AdminInput.body("percent"), this::canary))
            .roles(OWNER),
        Route.blockingDelete("/api/admin/policies/{version}/canary", admin.guard(this::endCanary))
            .roles(OWNER),
        Route.blockingPost(
                "/api/admin/policies/{version}/activate",
                admin.guard(AdminInput.body("confirm"), this::activate))
            .roles(OWNER),
        Route.blockingPost(
                "/api/admin/policies/rollback",
                admin.guard(AdminInput.body("active"), this::rollback))
            .roles(OWNER));
  }

  private Reply list(Request request) {
    int limit = AdminQuery.limit(request);
    List<PolicyView> page =
        policies.list(
            AdminQuery.number(request, "before", 1, Long.MAX_VALUE, Long.MAX_VALUE), limit);
    JsonText entries = JsonText.array();
    page.forEach(view -> entries.add(summary(view)));
    JsonText body = JsonText.object().put("policies", entries);
    if (page.size() == limit) {
      body = body.put("before", page.getLast().version().version());
    }
    return Reply.json(200, body.bytes());
  }

  private Reply one(Request request) {
    return policies
        .find(version(request))
        .map(view -> Reply.json(200, detail(request, view).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private Reply publish(Request request) {
    if (request.body().length == 0) {
      throw new InvalidRequest("", "empty_body");
    }
    String note = request.query("note");
    if (note != null && note.codePointCount(0, note.length()) > LONGEST_NOTE) {
      throw new InvalidRequest("note", "bad_length", 0, LONGEST_NOTE);
    }
    if (note != null && BidiControls.areHidden(note)) {
      throw new InvalidRequest("note", "hidden_character");
    }
    Guardrails standard = Guardrails.defaults();
    Guardrails guardrails =
        new Guardrails(
            share(request, "max_challenge_increase", standard.challenges()),
            share(request, "max_refusal_increase", standard.refusals()),
            share(request, "max_paid_refused", standard.paidRefused()),
            share(request, "max_appeals_won", standard.appealsWon()),
            AdminQuery.number(request, "max_p99_micros", 1, 1_000_000, standard.p99Micros()));
    RolloutOutcome outcome =
        policies.publish(
            new PolicyService.Publication(
                text(request.body()),
                AdminGuard.actor(request),
                AdminQuery.number(request, "parent", 1, Long.MAX_VALUE, 0),
                note == null ? "" : note,
                guardrails));
    if (outcome instanceof RolloutOutcome.Unknown) {
      throw new InvalidRequest("parent", "policy_version");
    }
    return reply(request, outcome);
  }

  /// Checks a bundle as publishing does, and keeps nothing.
  private Reply validate(Request request) {
    String bundle = text(request.body());
    List<RiskBundle.Problem> problems = policies.problems(bundle);
    if (!problems.isEmpty()) {
      throw invalid(problems);
    }
    return Reply.json(
        200,
        JsonText.object().put("success", true).put("warnings", warnings(request, bundle)).bytes());
  }

  private Reply backtest(Request request) {
    JsonBody body = request.body().length == 0 ? null : request.json();
    RecordedDecisions.Range range =
        body == null
            ? new RecordedDecisions.Range(
                RecordedDecisions.Range.BEGINNING, RecordedDecisions.Range.END, DEFAULT_DECISIONS)
            : range(body);
    return reply(request, policies.backtest(version(request), range, AdminGuard.actor(request)));
  }

  private static RecordedDecisions.Range range(JsonBody body) {
    RecordedDecisions.Range range =
        new RecordedDecisions.Range(
            instant(body, "from", RecordedDecisions.Range.BEGINNING),
            instant(body, "to", RecordedDecisions.Range.END),
            body.optionalLongInteger("limit", 1, MAX_DECISIONS, DEFAULT_DECISIONS));
    if (!range.from().isBefore(range.to())) {
      throw body.problem(body.optionalText("from") == null ? "to" : "from", "empty_time");
    }
    return range;
  }

  private Reply canary(Request request) {
    return reply(
        request,
        policies.canary(
            version(request),
            request.json().integer("percent", 0, 100),
            AdminGuard.actor(request)));
  }

  private Reply endCanary(Request request) {
    return reply(request, policies.endCanary(version(request), AdminGuard.actor(request)));
  }

  private Reply activate(Request request) {
    boolean confirmed = request.body().length > 0 && request.json().optionalFlag("confirm", false);
    return reply(
        request, policies.activate(version(request), confirmed, AdminGuard.actor(request)));
  }

  private Reply rollback(Request request) {
    long seen =
        request.body().length == 0
            ? 0
            : request.json().optionalLongInteger("active", 1, Long.MAX_VALUE, 0);
    return reply(request, policies.rollback(seen, AdminGuard.actor(request)));
  }

  private static Reply reply(Request request, RolloutOutcome outcome) {
    return switch (outcome) {
      case RolloutOutcome.Published(PolicyView view) ->
          Reply.json(201, detail(request, view).bytes());
      case RolloutOutcome.Exists(PolicyView view) -> Reply.json(200, detail(request, view).bytes());
      case RolloutOutcome.Done(PolicyView view) -> Reply.json(200, detail(request, view).bytes());
      case RolloutOutcome.Invalid(List<RiskBundle.Problem> problems) -> throw invalid(problems);
      case RolloutOutcome.Unknown() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      case RolloutOutcome.BacktestMissing() ->
          Reply.refuse(Refusal.of(ErrorCode.BACKTEST_REQUIRED));
      case RolloutOutcome.Conflict(RolloutOutcome.Reason reason) ->
          Reply.refuse(Refusal.of(ErrorCode.POLICY_STATE_CONFLICT).with("reason", reason.word()));
    };
  }

  private static InvalidRequest invalid(List<RiskBundle.Problem> problems) {
    RiskBundle.Problem first = problems.getFirst();
    String key = problems.size() == 1 ? "bundle_one" : "bundle";
    return new InvalidRequest(
            "", key, problems.size(), first.line(), first.column(), first.message())
        .with("problems", problems.stream().limit(MAX_PROBLEMS).map(PolicyAdmin::problem).toList());
  }

  private static Map<String, Object> problem(RiskBundle.Problem problem) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("line", problem.line());
    members.put("column", problem.column());
    String rule = problem.rule();
    if (rule != null) {
      members.put("rule", rule);
    }
    members.put("message", problem.message());
    return members;
  }

  private static long version(Request request) {
    String text = request.pathParam("version");
    if (!text.matches("[1-9][0-9]{0,17}")) {
      throw new InvalidRequest("version", "policy_version");
    }
    return Long.parseLong(text);
  }

  /// A percentage as a share from 0 to 1.
  private static double share(Request request, String name, double standard) {
    String text = request.query(name);
    if (text == null) {
      return standard;
    }
    if (!text.matches("[0-9]{1,3}(\\.[0-9]{1,6})?") || Double.parseDouble(text) > 100) {
      throw new InvalidRequest(name, "percentage");
    }
    return Double.parseDouble(text) / 100;
  }

  private static Instant instant(JsonBody body, String field, Instant standard) {
    String text = body.optionalText(field);
    if (text == null) {
      return standard;
    }
    try {
      Instant instant = Instant.parse(text);
      if (!instant.isBefore(RecordedDecisions.Range.BEGINNING)
          && !instant.isAfter(RecordedDecisions.Range.END)) {
        return instant;
      }
    } catch (DateTimeParseException _) {
      // Refused below.
    }
    throw body.problem(field, "not_instant");
  }

  private static String text(byte[] utf8) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException _) {
      throw new InvalidRequest("", "not_utf8");
    }
  }

  private static JsonText summary(PolicyView view) {
    PolicyVersion version = view.version();
    JsonText json =
        JsonText.object()
            .put("version", version.version())
            .put("state", view.state().word())
            .put("sha256", version.sha256())
            .put("author", version.author())
            .putAny("parent", version.parent() == 0 ? null : (Long) version.parent())
            .put("note", version.note())
            .put("created_at", version.createdAt().toString())
            .put("guardrails", guardrails(version.guardrails()))
            .put("backtest_hash", emptyAsNull(view.backtest()))
            .put("backtest_decisions", view.judged());
    return view.state() == PolicyView.State.CANARY
        ? json.putAny("percent", view.percent()).putAny("goal_percent", view.goalPercent())
        : json;
  }

  private static JsonText detail(Request request, PolicyView view) {
    JsonText history = JsonText.array();
    for (PolicyView.Step step : view.steps()) {
      history.add(
          JsonText.object()
              .put("step", step.step())
              .put("actor", step.actor())
              .put("detail", step.detail())
              .put("at", step.at().toString()));
    }
    JsonText json = summary(view).putAny("counts", view.counts()).put("history", history);
    if (!view.report().isEmpty()) {
      json.putRaw("backtest", view.report());
    }
    String bundle = view.version().bundle();
    return json.put("warnings", warnings(request, bundle)).putRaw("bundle", bundle);
  }

  /// What an operator should know about a bundle that can be published.
  private static JsonText warnings(Request request, String bundle) {
    JsonText warnings = JsonText.array();
    boolean isEmpty = RiskBundle.read(bundle).filter(read -> !read.hasRules()).isPresent();
    return isEmpty ? warnings.add(Messages.text(request.language(), "policy.no_rule")) : warnings;
  }

  /// Shares as percentages, as they are published.
  private static JsonText guardrails(Guardrails guardrails) {
    return JsonText.object()
        .putAny("max_challenge_increase", percent(guardrails.challenges()))
        .putAny("max_refusal_increase", percent(guardrails.refusals()))
        .putAny("max_paid_refused", percent(guardrails.paidRefused()))
        .putAny("max_appeals_won", percent(guardrails.appealsWon()))
        .put("max_p99_micros", guardrails.p99Micros());
  }

  private static double percent(double share) {
    return Math.round(share * 1e8) / 1e6;
  }

  private static @Nullable String emptyAsNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
