package fairgate.operator;

import fairgate.kernel.AuditEvent;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Has every act of an operator remembered: that it was asked for, before it is done, and what came
/// of it. What cannot be remembered is not done (503). Looking is remembered for the audit log
/// only.
final class AdminActs {
  private static final int LONGEST_BODY = 2_000;
  private static final int LONGEST_PATH = 200;
  private static final String AUDIT = "/api/admin/audit";

  /// Values of members whose names say that they are nobody's business.
  private static final Pattern SECRET =
      Pattern.compile(
          "(\"[^\"]*(?:password|secret|token)[^\"]*\"\\s*:\\s*)\"(?:[^\"\\\\]|\\\\.)*\"",
          Pattern.CASE_INSENSITIVE);

  private final AuditLog log;

  AdminActs(AuditLog log) {
    this.log = log;
  }

  Reply remember(BlockingHandler handler, Request request) throws Exception {
    boolean act = request.method() != Method.GET;
    if (!act && !request.path().startsWith(AUDIT)) {
      return handler.handle(request);
    }
    Map<String, Object> asked = new HashMap<>();
    asked.put("request_id", request.requestId());
    if (request.body().length > 0) {
      asked.put("body", body(request.body()));
    }
    log.record(event(request, asked));
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

  private static Map<String, Object> done(Request request, String result) {
    return Map.of("request_id", request.requestId(), "result", result);
  }

  private static AuditEvent event(Request request, Map<String, Object> facts) {
    String path = request.path();
    String what = request.method() + " " + path.substring(0, Math.min(LONGEST_PATH, path.length()));
    return new AuditEvent(AuditEvent.Kind.ADMIN, what, request.caller(), facts);
  }

  /// The body as far as it is short, without secrets.
  private static String body(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    String open = SECRET.matcher(text).replaceAll("$1\"[redacted]\"");
    return open.length() <= LONGEST_BODY ? open : open.substring(0, LONGEST_BODY) + "...";
  }
}
