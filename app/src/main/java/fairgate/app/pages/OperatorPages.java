package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.LOGIN;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.SignIn;
import fairgate.kernel.ErrorCode;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.OperatorCredentials;
import fairgate.operator.access.OperatorService;
import fairgate.operator.access.OperatorSignIn;
import fairgate.operator.access.OperatorSignIn.EnrolOutcome;
import fairgate.operator.access.OperatorSignIn.Outcome;
import fairgate.operator.access.OperatorSignIn.Welcome;
import fairgate.operator.access.ProviderSignIn;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import fairgate.platform.text.QrSvg;
import gg.jte.html.HtmlContent;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// `/console/sign-in`, `/console/sign-out` and the one-time links at `/console/welcome/{token}`.
/// Plain forms, the same with and without JavaScript.
public final class OperatorPages {
  static final String SIGN_IN = "/console/sign-in";

  private static final String WELCOME = OperatorService.LINK_PATH + "{token}";
  private static final int LONGEST_TEXT = 512;

  private final OperatorSignIn signIn;
  private final OperatorCredentials credentials;

  /// Label of the operators' identity provider; empty without one.
  private final String provider;

  private final PageSettings settings;
  private final PageFrame frame;
  private final Clock clock;

  /// The form of the sign-in.
  ///
  /// @param problem in the visitor's language; empty for none
  /// @param button text of the link to the identity provider; empty without one
  /// @param next the page of the console that follows
  record SignInForm(String name, String problem, String button, String next) {
    /// Its address, which the language links of a refused sign-in keep.
    String action() {
      return ReturnPath.after(SIGN_IN, next);
    }

    String provider() {
      return ReturnPath.after(OperatorProviderPages.START, next);
    }
  }

  /// The form of a one-time link.
  ///
  /// @param action its address
  /// @param more the name and the role of the operator
  /// @param qr an `svg` element
  /// @param problem in the visitor's language; empty for none
  record WelcomeForm(String action, String more, Welcome welcome, String qr, String problem) {}

  public OperatorPages(AccessFeature access, PageSettings settings, Clock clock) {
    this.signIn = access.signIn();
    this.credentials = access.credentials();
    this.provider = access.provider().map(ProviderSignIn::label).orElse("");
    this.settings = settings;
    this.frame = new PageFrame(settings, new Assets().base());
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet(SIGN_IN, this::show).limits(PAGE),
        Route.blockingPost(SIGN_IN, own(this::enter)).limits(LOGIN),
        Route.blockingPost("/console/sign-out", own(this::leave)).limits(ACT),
        Route.blockingGet(WELCOME, this::welcome).limits(PAGE),
        Route.blockingPost(WELCOME, own(this::enrol)).limits(LOGIN));
  }

  /// Sends a visitor who is not signed in to the sign-in, which returns to the requested page.
  static Reply signInFor(Request request) {
    return Reply.redirect(303, ReturnPath.after(SIGN_IN, ReturnPath.inConsole(request.target())));
  }

  private static String next(Request request) {
    return ReturnPath.inConsole(request.query(ReturnPath.NAME));
  }

  private Reply show(Request request) {
    return credentials.bySession(request).isPresent()
        ? Reply.redirect(303, next(request))
        : form(visit(request), 200, "", "");
  }

  private Reply enter(Request request) {
    Visit visit = visit(request);
    String name = field(request, "name");
    Optional<Operator> earlier = credentials.bySession(request);
    Outcome outcome =
        signIn.signIn(
            name, field(request, "password"), field(request, "code"), SignIn.caller(request));
    return switch (outcome) {
      case Outcome.Granted(String token) -> {
        earlier.ifPresent(operator -> signIn.signOut(operator, request.caller()));
        yield credentials.signedIn(Reply.redirect(303, next(request)), request, token);
      }
      case Outcome.Refused() -> form(visit, 401, name, visit.wording().text("operator.refused"));
      case Outcome.Locked() -> form(visit, 403, name, visit.wording().text("operator.locked"));
      case Outcome.TooMany(Duration retryAfter) ->
          form(
                  visit,
                  429,
                  name,
                  visit.words().text("account.wait", "time", visit.wording().span(retryAfter)))
              .header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
    };
  }

  private Reply leave(Request request) {
    credentials
        .bySession(request)
        .ifPresent(operator -> signIn.signOut(operator, request.caller()));
    return OperatorCredentials.signedOut(Reply.redirect(303, SIGN_IN), request);
  }

  private Reply welcome(Request request) {
    return welcome(request, 200, "");
  }

  private Reply welcome(Request request, int status, String problem) {
    Visit visit = visit(request);
    return signIn
        .welcome(request.pathParam("token"))
        .map(found -> welcome(visit, status, found, problem))
        .orElseGet(() -> ended(visit));
  }

  private Reply welcome(Visit visit, int status, Welcome welcome, String problem) {
    String role = visit.wording().text("operator.role." + welcome.role().word());
    WelcomeForm form =
        new WelcomeForm(
            visit.request().path(),
            welcome.name() + " · " + role,
            welcome,
            QrSvg.of(welcome.uri(), "class=\"qr\" role=\"img\" aria-label=\"QR\""),
            problem);
    return page(
        visit,
        status,
        "operator.welcome",
        out -> JteoperatorWelcomeGenerated.render(out, null, visit.wording(), form));
  }

  private Reply ended(Visit visit) {
    return page(
        visit,
        404,
        "operator.welcome",
        out ->
            JteaccountProblemGenerated.render(
                out, null, visit.wording(), visit.wording().text("operator.welcome.ended")));
  }

  private Reply enrol(Request request) {
    Visit visit = visit(request);
    EnrolOutcome outcome =
        signIn.enrol(
            request.pathParam("token"),
            field(request, "password"),
            field(request, "code"),
            SignIn.caller(request));
    return switch (outcome) {
      case EnrolOutcome.Enrolled(String token, List<String> codes) ->
          credentials.signedIn(
              page(
                  visit,
                  200,
                  PageFrame.Content.of(
                      title(visit, "operator.recovery"),
                      "once",
                      "console-recovery.js",
                      out -> JteoperatorCodesGenerated.render(out, null, visit.wording(), codes),
                      JsonText.object())),
              request,
              token);
      case EnrolOutcome.PasswordRefused(String problem) ->
          welcome(
              request,
              400,
              Messages.text(
                  visit.language(),
                  "invalid." + problem,
                  visit.wording().text("operator.password"),
                  8,
                  128));
      case EnrolOutcome.WrongCode() ->
          welcome(request, 400, visit.wording().text("operator.welcome.wrong_code"));
      case EnrolOutcome.LinkEnded() -> ended(visit);
    };
  }

  private Reply form(Visit visit, int status, String name, String problem) {
    String button =
        provider.isEmpty() ? "" : visit.words().text("operator.oidc.button", "provider", provider);
    SignInForm form = new SignInForm(name, problem, button, next(visit.request()));
    return page(
        visit,
        status,
        "operator.sign_in",
        out -> JteoperatorSignInGenerated.render(out, null, visit.wording(), form));
  }

  private static String title(Visit visit, String key) {
    return visit.wording().text(key) + " \u00b7 Fairgate";
  }

  private Reply page(Visit visit, int status, String title, HtmlContent main) {
    return page(visit, status, PageFrame.Content.plain(title(visit, title), main));
  }

  private Reply page(Visit visit, int status, PageFrame.Content content) {
    return frame
        .reply(visit, status, content)
        .header("cache-control", "no-store")
        // The address of a one-time link is a secret.
        .header("referrer-policy", "no-referrer");
  }

  private static Handler.Blocking own(Handler.Blocking handler) {
    return request ->
        SameOrigin.of(request) == SameOrigin.OWN
            ? handler.handle(request)
            : Reply.refuse(Refusal.of(ErrorCode.FORBIDDEN));
  }

  private static String field(Request request, String name) {
    return FormBody.field(request, name).filter(text -> text.length() <= LONGEST_TEXT).orElse("");
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
