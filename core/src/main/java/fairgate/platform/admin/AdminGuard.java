package fairgate.platform.admin;

import fairgate.kernel.AuditEvent;
import fairgate.kernel.ErrorCode;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Checks the input of the admin API and records its actions. `operator.access.AccessGuard` has
/// found the operator and checked the role before; without an operator the reply is 401.
public final class AdminGuard {
  private final ActionRecorder recorder;

  public AdminGuard(AuditLog log) {
    this.recorder = new ActionRecorder(log);
  }

  /// Guards a handler without parameters and fields, as the other overload does.
  public Handler.Blocking guard(Handler.Blocking handler) {
    return guard(AdminInput.NONE, handler);
  }

  /// Records the actions of a handler, and refuses unknown names in its input. Responses to reads
  /// may be compressed: other sites cannot send such requests, because the token is in a header or
  /// in a cookie with `SameSite=Strict`.
  public Handler.Blocking guard(AdminInput input, Handler.Blocking handler) {
    Handler.Blocking checked =
        request -> {
          input.check(request);
          return handler.handle(request);
        };
    return request ->
        Operator.current().isPresent()
            ? answer(checked, request)
            : Reply.refuse(ErrorCode.UNAUTHORIZED);
  }

  private Reply answer(Handler.Blocking handler, Request request) throws Exception {
    Reply reply = recorder.record(handler, request);
    return request.method() == Method.GET ? reply.compressible() : reply;
  }

  /// The operator's name in records.
  public static String actor(Request request) {
    return Operator.current()
        .map(Operator::name)
        .orElseGet(() -> "operator@" + request.clientAddress());
  }

  /// Records every operator action in the audit log: the request before it is executed, and its
  /// result afterwards. An action that cannot be recorded is not executed (503). Reads are recorded
  /// where they show the audit log or personal data.
  private record ActionRecorder(AuditLog log) {
    private static final int LONGEST_BODY = 2_000;
    private static final int LONGEST_PATH = 200;

    /// An order in the path, by which the log is searched.
    private static final Pattern ORDER =
        Pattern.compile("^/api/admin/orders/(order_[0-9]{1,19}_[0-9a-z]{26})/");

    /// Reads that are recorded: of the audit log, of what buyers gave for their orders, and of
    /// their tickets.
    private static final Pattern RECORDED_READ =
        Pattern.compile(
            "^/api/admin/(?:audit.*|orders/[^/]+/(?:details|tickets)|products/[^/]+/details\\.csv)$");

    /// Redaction stops here; the recorded body is shorter.
    private static final int LONGEST_READ = 4 * LONGEST_BODY;

    /// JSON members with secret or personal values, judged by their names, up to the end of the
    /// value or of the text. Every quantifier is bounded or possessive: backtracking over a long
    /// value would exhaust the stack.
    private static final Pattern SECRET =
        Pattern.compile(
            "(\"[^\"]{0,64}?(?:password|secret|token|telephone|one_time_code|redemption_code)[^\"]{0,64}+\"\\s*+:\\s*+)"
                + "\"(?:[^\"\\\\]|\\\\.)*+(?:\"|\\z)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    Reply record(Handler.Blocking handler, Request request) throws Exception {
      boolean act = request.method() != Method.GET;
      if (!act && !RECORDED_READ.matcher(request.path()).matches()) {
        return handler.handle(request);
      }
      Map<String, Object> facts = facts(request);
      if (request.body().length > 0) {
        facts.put("body", body(request.body()));
      }
      String reason = reason(request);
      if (reason != null) {
        facts.put("reason", reason.substring(0, Math.min(LONGEST_BODY, reason.length())));
      }
      log.record(event(request, facts));
      if (!act) {
        return handler.handle(request);
      }
      try {
        Reply reply = handler.handle(request);
        log.note(event(request, done(request, Integer.toString(reply.status()))));
        return reply;
      } catch (Exception e) {
        log.note(event(request, done(request, e.getClass().getSimpleName())));
        throw e;
      }
    }

    /// The operator's reason, from the query or the body, as a fact of its own: the recorded body
    /// is text, and may be cut off before it.
    private static @Nullable String reason(Request request) {
      String inQuery = request.query("reason");
      byte[] body = request.body();
      if (inQuery != null || body.length == 0 || body[0] != '{') {
        return inQuery;
      }
      try {
        return request.json().optionalText("reason");
      } catch (InvalidRequest _) {
        return null;
      }
    }

    private static Map<String, Object> done(Request request, String result) {
      Map<String, Object> facts = facts(request);
      facts.put("result", result);
      return facts;
    }

    /// The shared token belongs to nobody, so its records have the address only.
    private static Map<String, Object> facts(Request request) {
      Map<String, Object> facts = new HashMap<>();
      facts.put("request_id", request.requestId());
      Matcher order = ORDER.matcher(request.path());
      if (order.find()) {
        facts.put("order", order.group(1));
      }
      Operator.current()
          .filter(operator -> operator.id() != null)
          .ifPresent(
              operator -> {
                facts.put("operator", operator.name());
                facts.put("operator_id", operator.id());
                facts.put("means", operator.means().name().toLowerCase(Locale.ROOT));
              });
      return facts;
    }

    private static AuditEvent event(Request request, Map<String, Object> facts) {
      String path = request.path();
      String what =
          request.method() + " " + path.substring(0, Math.min(LONGEST_PATH, path.length()));
      return new AuditEvent(AuditEvent.Kind.ADMIN, what, request.caller(), facts);
    }

    /// The beginning of the body, with secrets redacted.
    private static String body(byte[] bytes) {
      String whole = new String(bytes, StandardCharsets.UTF_8);
      String text = whole.substring(0, Math.min(LONGEST_READ, whole.length()));
      String open = SECRET.matcher(text).replaceAll("$1\"[redacted]\"");
      return open.length() <= LONGEST_BODY ? open : open.substring(0, LONGEST_BODY) + "...";
    }
  }
}
