package fairgate.account;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.function.Function;

/// Asks requests who makes them, on behalf of routes that are for accounts only.
public final class SignIn {
  private static final Reply FOREIGN = Reply.refuse(Refusal.of(ErrorCode.FORBIDDEN));

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

  /// 401: sign in first.
  public static Reply refused() {
    return challenge(Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED)));
  }

  /// The handler, for our own pages and for programs: a browser that another site's page made send
  /// the request, in the visitor's name, is answered 403.
  public static Handler ownPage(Handler handler) {
    return request ->
        isForeign(request) ? Future.succeededFuture(FOREIGN) : handler.handle(request);
  }

  /// As `ownPage`, for a handler that blocks.
  public static BlockingHandler ownPageBlocking(BlockingHandler handler) {
    return request -> isForeign(request) ? FOREIGN : handler.handle(request);
  }

  private static boolean isForeign(Request request) {
    String site = request.header("sec-fetch-site");
    return site != null && !site.equals("same-origin") && !site.equals("none");
  }

  static Reply challenge(Reply reply) {
    return reply.header("www-authenticate", "Bearer realm=\"fairgate\"");
  }
}
