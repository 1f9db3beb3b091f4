package fairgate.app.pages;

import fairgate.account.Account;
import fairgate.account.AccountService;
import fairgate.account.AccountSession;
import fairgate.account.LoginOutcome;
import fairgate.account.RegisterOutcome;
import fairgate.account.SessionCookie;
import fairgate.account.SignedIn;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// `/account`: signing in and out, and where one is signed in. Plain forms, the same with and
/// without JavaScript.
public final class AccountPages {
  private static final String HOME = "/account";
  private static final int LONGEST_TEXT = 512;

  private final AccountService service;
  private final AccountView view;
  private final PageSettings settings;
  private final Clock clock;

  /// @param shop whose frame and assets these pages share
  public AccountPages(ShopPages shop, AccountService service, PageSettings settings, Clock clock) {
    this.service = service;
    this.view = new AccountView(shop.templates(), shop.frame());
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(HOME, this::home),
        Route.get(HOME + "/register", this::registering),
        Route.post(HOME + "/login", own(this::login)),
        Route.post(HOME + "/register", own(this::register)),
        Route.blockingPost(HOME + "/logout", ownBlocking(this::logout)),
        Route.blockingPost(HOME + "/revoke", ownBlocking(this::revoke)),
        Route.blockingPost(HOME + "/revoke-others", ownBlocking(this::revokeOthers)));
  }

  private Future<Reply> home(Request request) {
    Visit visit = visit(request);
    return service
        .signedIn(request)
        .compose(
            who ->
                who.map(known -> account(visit, known))
                    .orElseGet(() -> Future.succeededFuture(view.login(visit, 200, "", ""))));
  }

  private Future<Reply> account(Visit visit, SignedIn who) {
    return service
        .find(who.account())
        .compose(
            account -> service.sessions(who).map(sessions -> page(visit, who, account, sessions)));
  }

  private Reply page(
      Visit visit, SignedIn who, Optional<Account> account, List<AccountSession> sessions) {
    return account
        .map(found -> view.account(visit, who, found, sessions))
        .orElseGet(() -> view.login(visit, 200, "", ""));
  }

  private Future<Reply> registering(Request request) {
    return Future.succeededFuture(view.register(visit(request), 200, "", ""));
  }

  private Future<Reply> login(Request request) {
    String username = field(request, "username");
    String password = field(request, "password");
    Visit visit = visit(request);
    return service
        .login(username, password, request.userAgent())
        .map(outcome -> entered(visit, username, outcome));
  }

  private Reply entered(Visit visit, String username, LoginOutcome outcome) {
    return switch (outcome) {
      case LoginOutcome.Granted granted ->
          SessionCookie.put(
              home(),
              visit.request(),
              granted.token(),
              Duration.between(clock.instant(), granted.expiresAt()));
      case LoginOutcome.Refused() ->
          view.login(visit, 401, username, text(visit, ErrorCode.INVALID_CREDENTIALS));
      case LoginOutcome.TooMany(Duration rest) ->
          view.login(visit, 429, username, wait(visit, rest))
              .header("retry-after", Long.toString(rest.toSeconds() + 1));
    };
  }

  private Future<Reply> register(Request request) {
    String username = field(request, "username");
    String password = field(request, "password");
    Visit visit = visit(request);
    return service
        .register(username, password)
        .compose(
            outcome ->
                outcome instanceof RegisterOutcome.Registered
                    ? login(request)
                    : Future.succeededFuture(unregistered(visit, username, outcome)));
  }

  private Reply unregistered(Visit visit, String username, RegisterOutcome outcome) {
    return switch (outcome) {
      case RegisterOutcome.Registered _ -> home();
      case RegisterOutcome.NameTaken() ->
          view.register(visit, 409, username, text(visit, ErrorCode.USERNAME_TAKEN));
      case RegisterOutcome.NameRefused() ->
          view.register(
              visit,
              400,
              username,
              invalid(visit, "username", visit.wording().text("account.username")));
      case RegisterOutcome.PasswordRefused(String problem) ->
          view.register(
              visit,
              400,
              username,
              invalid(visit, problem, visit.wording().text("account.password")));
    };
  }

  private Reply logout(Request request) {
    Reply reply = act(request, (who, _) -> service.revoke(who, who.session()));
    return SessionCookie.put(reply, request, "", Duration.ZERO);
  }

  private Reply revoke(Request request) {
    return act(request, (who, form) -> service.revoke(who, field(form, "session")));
  }

  private Reply revokeOthers(Request request) {
    return act(request, (who, _) -> service.revokeOthers(who));
  }

  private Reply act(Request request, BiConsumer<SignedIn, Request> act) {
    service.signedIn(request).await().ifPresent(who -> act.accept(who, request));
    return home();
  }

  private static Reply home() {
    return Reply.redirect(303, HOME);
  }

  private Handler own(Handler handler) {
    return request ->
        SameOrigin.holds(request)
            ? handler.handle(request)
            : Future.succeededFuture(foreign(request));
  }

  private BlockingHandler ownBlocking(BlockingHandler handler) {
    return request -> SameOrigin.holds(request) ? handler.handle(request) : foreign(request);
  }

  private Reply foreign(Request request) {
    Visit visit = visit(request);
    return view.login(visit, 403, "", text(visit, ErrorCode.FORBIDDEN));
  }

  private static String field(Request request, String name) {
    return FormBody.field(request, name).filter(text -> text.length() <= LONGEST_TEXT).orElse("");
  }

  private static String text(Visit visit, ErrorCode code) {
    return Messages.text(visit.language(), "error." + code.name());
  }

  private static String invalid(Visit visit, String problem, String field) {
    boolean name = problem.equals("username");
    return Messages.text(
        visit.language(), "invalid." + problem, field, name ? 3 : 8, name ? 32 : 128);
  }

  private static String wait(Visit visit, Duration rest) {
    return visit.words().text("account.wait", "time", visit.wording().span(rest));
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings.currency(), clock.instant());
  }
}
