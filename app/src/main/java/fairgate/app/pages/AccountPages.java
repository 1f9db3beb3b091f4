package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.AccountFeature;
import fairgate.account.AccountService;
import fairgate.account.CredentialService;
import fairgate.account.SessionCookie;
import fairgate.account.SignIn;
import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.identity.PasswordRecovery;
import fairgate.gate.challenge.TestChallenge;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.SignedIn;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/// `/account`: sign-in, sign-out and the list of sessions. Plain forms, the same with and without
/// JavaScript.
public final class AccountPages {
  private static final String HOME = "/account";
  private static final int LONGEST_TEXT = 512;
  private static final int LONGEST_SOLUTION = 4_096;

  private final AccountService service;
  private final CredentialService credentials;
  private final Optional<PasswordRecovery> recovery;
  private final boolean verifies;
  private final AccountView view;
  private final PageSettings settings;
  private final Clock clock;

  /// @param shop provides the frame and the assets of these pages
  /// @param choices other ways to sign in
  /// @param identity empty when accounts cannot verify themselves here
  /// @param links to pages of features that have an entry
  public AccountPages(
      ShopPages shop,
      AccountFeature accounts,
      SignInPages.Choices choices,
      Optional<IdentityFeature> identity,
      List<Feature.AccountLink> links,
      PageSettings settings,
      Clock clock) {
    this.verifies = identity.isPresent();
    this.recovery = identity.flatMap(IdentityFeature::recovery);
    this.service = accounts.service();
    this.credentials = accounts.credentials();
    this.view =
        new AccountView(
            shop.frame(),
            choices.providers(),
            choices.passkeys().isPresent(),
            links,
            settings.joinWithoutScript());
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return Stream.concat(ownRoutes().stream(), recoveryRoutes().stream()).toList();
  }

  private List<Route> recoveryRoutes() {
    return recovery
        .map(
            it ->
                List.of(
                    Route.blockingPost(
                            HOME + "/reset/code", ownBlocking(request -> sendCode(request, it)))
                        .doing(Method.POST, "/api/v1/password/code"),
                    Route.blockingPost(
                            HOME + "/reset/confirm", ownBlocking(request -> confirm(request, it)))
                        .doing(Method.POST, "/api/v1/password/code/confirm")))
        .orElse(List.of());
  }

  private List<Route> ownRoutes() {
    return List.of(
        Route.get(HOME, this::home).limits(PAGE),
        Route.get(HOME + "/register", this::registering).limits(PAGE),
        Route.get(HOME + "/reset", this::resetting).limits(PAGE),
        Route.blockingPost(HOME + "/reset", ownBlocking(this::reset))
            .doing(Method.POST, "/api/v1/password/reset"),
        Route.blockingPost(HOME + "/password", ownBlocking(this::changePassword))
            .doing(Method.POST, "/api/v1/password"),
        Route.blockingPost(HOME + "/delete", ownBlocking(this::delete))
            .doing(Method.POST, "/api/v1/me/delete"),
        Route.post(HOME + "/login", own(this::login)).doing(Method.POST, "/api/v1/login"),
        Route.post(HOME + "/register", own(this::register)).doing(Method.POST, "/api/v1/register"),
        Route.blockingPost(HOME + "/logout", ownBlocking(this::logout))
            .doing(Method.POST, "/api/v1/logout"),
        Route.blockingPost(HOME + "/revoke", ownBlocking(this::revoke))
            .doing(Method.DELETE, "/api/v1/sessions/{id}"),
        Route.blockingPost(HOME + "/revoke-others", ownBlocking(this::revokeOthers))
            .doing(Method.DELETE, "/api/v1/sessions"));
  }

  private Future<Reply> home(Request request) {
    Visit visit = visit(request);
    return service
        .signedIn(request)
        .compose(
            who ->
                who.map(known -> account(visit, known, 200, ""))
                    .orElseGet(() -> Future.succeededFuture(view.login(visit, 200, "", ""))));
  }

  /// @param problem problem in the visitor's language; empty for none
  private Future<Reply> account(Visit visit, SignedIn who, int status, String problem) {
    return service
        .find(who.account())
        .compose(
            account ->
                account.isEmpty()
                    ? Future.succeededFuture(view.login(visit, 200, "", ""))
                    : Future.join(service.sessions(who), credentials.hasPassword(who.account()))
                        .map(
                            both ->
                                view.account(
                                    visit,
                                    status,
                                    who,
                                    new AccountView.Shown(
                                        account.get().username(),
                                        both.resultAt(1),
                                        verifies,
                                        ReturnPath.of(visit.request())),
                                    both.resultAt(0),
                                    problem)));
  }

  private Future<Reply> resetting(Request request) {
    return Future.succeededFuture(view.reset(visit(request), 200, step(), ""));
  }

  private AccountView.ResetStep step() {
    return recovery.isPresent()
        ? AccountView.ResetStep.asking("")
        : AccountView.ResetStep.withToken("");
  }

  /// Sends a code. The page is the same whether an account has the contact or not.
  private Reply sendCode(Request request, PasswordRecovery codes) {
    String contact = field(request, "contact").strip();
    Visit visit = visit(request);
    AccountView.ResetStep asking = AccountView.ResetStep.asking(contact);
    if (codes.isContact(contact)) {
      Optional<Refusal> refusal = codes.check(request, solution(request)).await();
      if (refusal.isPresent()) {
        ErrorCode code = refusal.get().code();
        return view.reset(visit, code.status(), asking, text(visit, code));
      }
    }
    SendCodeOutcome outcome =
        codes.request(contact, request.address(), visit.language()).orElse(null);
    return switch (outcome) {
      case null ->
          view.reset(
              visit,
              400,
              asking,
              invalid(visit, "contact", visit.wording().text("account.contact")));
      case SendCodeOutcome.Sent _ -> codeSent(visit, contact, "success.code_if_known");
      case SendCodeOutcome.Late _ -> codeSent(visit, contact, "success.code_late");
      case SendCodeOutcome.CountryRefused() ->
          view.reset(
              visit,
              400,
              asking,
              invalid(visit, "phone_country", visit.wording().text("account.contact")));
      case SendCodeOutcome.TooMany(Duration retryAfter) ->
          later(view.reset(visit, 429, asking, wait(visit, retryAfter)), retryAfter);
      case SendCodeOutcome.Unsent(Duration retryAfter) ->
          later(
              view.reset(visit, 503, asking, text(visit, ErrorCode.SERVICE_UNAVAILABLE)),
              retryAfter);
    };
  }

  private String solution(Request request) {
    return settings.joinWithoutScript()
        ? TestChallenge.TOKEN
        : FormBody.field(request, "turnstile_token")
            .filter(text -> text.length() <= LONGEST_SOLUTION)
            .orElse("");
  }

  private Reply codeSent(Visit visit, String contact, String message) {
    return view.reset(
        visit,
        202,
        AccountView.ResetStep.withCode(contact, Messages.text(visit.language(), message)),
        "");
  }

  /// Takes the code and sets the new password. A password that is refused is asked for again,
  /// without another code.
  private Reply confirm(Request request, PasswordRecovery codes) {
    String contact = field(request, "contact").strip();
    Visit visit = visit(request);
    AccountView.ResetStep again = AccountView.ResetStep.withCode(contact, "");
    return switch (codes.confirm(contact, field(request, "code"), request.address())) {
      case PasswordRecovery.Outcome.Proven(CredentialService.Reset proven) ->
          reset(visit, proven.token(), field(request, "password"));
      case PasswordRecovery.Outcome.WrongCode() ->
          view.reset(visit, 403, again, text(visit, ErrorCode.INVALID_CODE));
      case PasswordRecovery.Outcome.TooMany(Duration retryAfter) ->
          later(view.reset(visit, 429, again, wait(visit, retryAfter)), retryAfter);
    };
  }

  private Reply reset(Request request) {
    return reset(visit(request), field(request, "token").strip(), field(request, "password"));
  }

  private Reply reset(Visit visit, String token, String password) {
    CredentialService.Outcome outcome = credentials.reset(token, password).await();
    if (outcome instanceof CredentialService.Outcome.Done) {
      return home();
    }
    AccountView.ResetStep step =
        outcome instanceof CredentialService.Outcome.PasswordRefused
            ? AccountView.ResetStep.withToken(token)
            : step();
    return view.reset(visit, 400, step, problem(visit, outcome));
  }

  private static Reply later(Reply reply, Duration retryAfter) {
    return reply.header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
  }

  private Reply changePassword(Request request) {
    return proven(
        request,
        who ->
            credentials.change(
                who,
                field(request, "password"),
                field(request, "new_password"),
                SignIn.caller(request)));
  }

  private Reply delete(Request request) {
    Reply reply =
        proven(
            request,
            who -> credentials.delete(who, field(request, "password"), SignIn.caller(request)));
    return reply.status() == 303 ? SessionCookie.put(reply, request, "", Duration.ZERO) : reply;
  }

  /// Runs an action that needs the password again, and redirects to the account's page.
  private Reply proven(Request request, Function<SignedIn, Future<CredentialService.Outcome>> act) {
    Optional<SignedIn> who = service.signedIn(request).await();
    if (who.isEmpty()) {
      return home();
    }
    CredentialService.Outcome outcome = act.apply(who.get()).await();
    if (outcome instanceof CredentialService.Outcome.Done
        || outcome instanceof CredentialService.Outcome.Gone) {
      return home();
    }
    Visit visit = visit(request);
    Reply page = account(visit, who.get(), status(outcome), problem(visit, outcome)).await();
    return outcome instanceof CredentialService.Outcome.TooMany(Duration retryAfter)
        ? page.header("retry-after", Long.toString(retryAfter.toSeconds() + 1))
        : page;
  }

  private static int status(CredentialService.Outcome outcome) {
    return switch (outcome) {
      case CredentialService.Outcome.WrongPassword _ -> 401;
      case CredentialService.Outcome.TooMany _ -> 429;
      case CredentialService.Outcome.PasswordRefused _, CredentialService.Outcome.TokenRefused _ ->
          400;
      case CredentialService.Outcome.Done _, CredentialService.Outcome.Gone _ -> 200;
    };
  }

  private static String problem(Visit visit, CredentialService.Outcome outcome) {
    return switch (outcome) {
      case CredentialService.Outcome.WrongPassword _ ->
          visit.wording().text("account.wrong_password");
      case CredentialService.Outcome.TooMany(Duration retryAfter) -> wait(visit, retryAfter);
      case CredentialService.Outcome.PasswordRefused(String problem) ->
          invalid(visit, problem, visit.wording().text("account.new_password"));
      case CredentialService.Outcome.TokenRefused _ ->
          invalid(visit, "reset_token", visit.wording().text("account.reset_token"));
      case CredentialService.Outcome.Done _, CredentialService.Outcome.Gone _ -> "";
    };
  }

  private Future<Reply> registering(Request request) {
    return Future.succeededFuture(view.register(visit(request), 200, "", ""));
  }

  private Future<Reply> login(Request request) {
    String username = field(request, "username");
    String password = field(request, "password");
    Visit visit = visit(request);
    return service
        .login(username, password, SignIn.caller(request))
        .map(outcome -> entered(visit, username, outcome));
  }

  private Reply entered(Visit visit, String username, AccountService.LoginOutcome outcome) {
    return switch (outcome) {
      case AccountService.LoginOutcome.Granted granted ->
          SessionCookie.put(
              back(visit.request()),
              visit.request(),
              granted.token(),
              Duration.between(clock.instant(), granted.expiresAt()));
      case AccountService.LoginOutcome.Refused() ->
          view.login(visit, 401, username, text(visit, ErrorCode.INVALID_CREDENTIALS));
      case AccountService.LoginOutcome.TooMany(Duration retryAfter) ->
          view.login(visit, 429, username, wait(visit, retryAfter))
              .header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
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
                outcome instanceof AccountService.RegisterOutcome.Registered
                    ? login(request)
                    : Future.succeededFuture(unregistered(visit, username, outcome)));
  }

  private Reply unregistered(Visit visit, String username, AccountService.RegisterOutcome outcome) {
    return switch (outcome) {
      case AccountService.RegisterOutcome.Registered _ -> home();
      case AccountService.RegisterOutcome.NameTaken() ->
          view.register(visit, 409, username, text(visit, ErrorCode.USERNAME_TAKEN));
      case AccountService.RegisterOutcome.NameRefused(String problem) ->
          view.register(
              visit,
              400,
              username,
              invalid(visit, problem, visit.wording().text("account.username")));
      case AccountService.RegisterOutcome.PasswordRefused(String problem) ->
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

  /// Back to the page that the visitor came from.
  private static Reply back(Request request) {
    String next = ReturnPath.of(request);
    return next.isEmpty() ? home() : Reply.redirect(303, next);
  }

  private static Reply home() {
    return Reply.redirect(303, HOME);
  }

  private Handler own(Handler handler) {
    return request ->
        SameOrigin.of(request) == SameOrigin.OWN
            ? handler.handle(request)
            : Future.succeededFuture(foreign(request));
  }

  private Handler.Blocking ownBlocking(Handler.Blocking handler) {
    return request ->
        SameOrigin.of(request) == SameOrigin.OWN ? handler.handle(request) : foreign(request);
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
    boolean name = problem.startsWith("username");
    return Messages.text(
        visit.language(), "invalid." + problem, field, name ? 3 : 8, name ? 32 : 128);
  }

  private static String wait(Visit visit, Duration retryAfter) {
    return visit.words().text("account.wait", "time", visit.wording().span(retryAfter));
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
