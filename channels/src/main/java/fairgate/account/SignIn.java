package fairgate.account;

import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.function.Function;

/// Finds the signed-in account for routes that require one.
public final class SignIn {
  private final AccountService service;

  SignIn(AccountService service) {
    this.service = service;
  }

  /// The answer for the account that makes the request; 401 for guests.
  public Future<Reply> required(Request request, Function<SignedIn, Future<Reply>> answer) {
    return service
        .signedIn(request)
        .compose(who -> who.map(answer).orElseGet(() -> Future.succeededFuture(SignIn.refused())));
  }

  /// The caller with its device. A browser without a device gets one, so that it is known when it
  /// signs in again.
  public static Caller caller(Request request) {
    var _ = request.device();
    return request.caller();
  }

  /// 401: sign in first.
  public static Reply refused() {
    return challenge(Reply.refuse(ErrorCode.UNAUTHORIZED));
  }

  static Reply challenge(Reply reply) {
    return reply.header("www-authenticate", "Bearer realm=\"fairgate\"");
  }
}
