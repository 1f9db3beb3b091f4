package fairgate.platform.admin;

import fairgate.kernel.ErrorCode;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;

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
            : Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED));
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
}
