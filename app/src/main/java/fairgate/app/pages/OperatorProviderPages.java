package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.SignIn;
import fairgate.account.SignInTickets;
import fairgate.account.oidc.OidcFeature;
import fairgate.account.oidc.OidcService;
import fairgate.kernel.ErrorCode;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.OperatorCredentials;
import fairgate.operator.access.ProviderSignIn;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// `/console/oidc`, its callback, and `/console/oidc/link`: sign-in of operators at the provider of
/// the settings. Without a provider they do not exist (404).
public final class OperatorProviderPages {
  static final String START = "/console/oidc";

  private static final String LINK = START + "/link";

  /// The header `refresh` up to the address of the next page, which opens by itself. Browsers omit
  /// the session's `SameSite=Strict` cookie from a redirect that another site began, but not from
  /// requests of our own page.
  private static final String AT_ONCE = "0;url=";

  private final Optional<ProviderSignIn> provider;
  private final OperatorCredentials credentials;
  private final PageSettings settings;
  private final PageFrame frame;
  private final Clock clock;

  public OperatorProviderPages(AccessFeature access, PageSettings settings, Clock clock) {
    this.provider = access.provider();
    this.credentials = access.credentials();
    this.settings = settings;
    this.frame = new PageFrame(settings, new Assets().base());
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet(START, request -> with(signIn -> start(request, signIn, null)))
            .limits(PAGE)
            .withDeadline(OidcFeature.LONGEST),
        Route.blockingGet(LINK, request -> with(signIn -> link(request, signIn)))
            .limits(PAGE)
            .withDeadline(OidcFeature.LONGEST),
        Route.blockingGet(
                ProviderSignIn.CALLBACK, request -> with(signIn -> callback(request, signIn)))
            .limits(PAGE)
            .withDeadline(OidcFeature.LONGEST));
  }

  private Reply with(Function<ProviderSignIn, Reply> answer) {
    return provider.map(answer).orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private Reply start(Request request, ProviderSignIn signIn, @Nullable String operator) {
    Visit visit = visit(request);
    Optional<String> here = signIn.origin(request);
    if (here.isEmpty()) {
      return problem(visit, 503, visit.wording().text("account.oidc.no_address"));
    }
    return switch (signIn.start(
        here.get(),
        operator,
        ReturnPath.inConsole(ReturnPath.of(request)),
        SignIn.caller(request))) {
      case OidcService.Outcome.Redirect redirect ->
          signIn
              .tickets()
              .put(
                  Reply.redirect(303, redirect.to().toString()).header("cache-control", "no-store"),
                  redirect.ticket());
      case OidcService.Outcome.UnknownProvider() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      case OidcService.Outcome.Away away -> away(visit, away);
      case OidcService.Outcome.TooMany(Duration retryAfter) -> tooMany(visit, retryAfter);
    };
  }

  /// Starts only on a click on our own page: another site must not change how an operator signs in.
  private Reply link(Request request, ProviderSignIn signIn) {
    Operator operator = credentials.bySession(request).orElse(null);
    if (operator == null || SameOrigin.of(request) != SameOrigin.OWN) {
      return Reply.redirect(303, ConsolePage.PATH);
    }
    return start(request, signIn, operator.id());
  }

  private Reply callback(Request request, ProviderSignIn signIn) {
    Visit visit = visit(request);
    ProviderSignIn.Outcome outcome =
        signIn.finish(
            SignInPages.callbackOf(request),
            signIn.tickets().find(request, ProviderSignIn.TICKET),
            SignIn.caller(request));
    Reply reply =
        switch (outcome) {
          case ProviderSignIn.Outcome.Entered(String token, String next) ->
              credentials.signedIn(done(visit, "operator.oidc.entered", next), request, token);
          case ProviderSignIn.Outcome.Linked() ->
              done(visit, "operator.oidc.linked", ConsolePage.PATH);
          case ProviderSignIn.Outcome.Taken() ->
              problem(visit, 409, text(visit, "operator.oidc.taken", signIn.label()));
          case ProviderSignIn.Outcome.NotAnOperator() ->
              problem(visit, 403, text(visit, "operator.oidc.unknown", signIn.label()));
          case ProviderSignIn.Outcome.Ended(OidcService.Outcome.Finish ended) ->
              ended(visit, ended);
        };
    // A callback that belongs to no sign-in must not end the one that is under way.
    return outcome instanceof ProviderSignIn.Outcome.Ended(OidcService.Outcome.Stale _)
        ? reply
        : SignInTickets.remove(reply, ProviderSignIn.TICKET);
  }

  private Reply ended(Visit visit, OidcService.Outcome.Finish outcome) {
    return switch (outcome) {
      case OidcService.Outcome.Declined(String label) ->
          problem(visit, 403, text(visit, "account.oidc.declined", label));
      case OidcService.Outcome.Invalid(String label) ->
          problem(visit, 403, text(visit, "account.oidc.invalid", label));
      case OidcService.Outcome.Away away -> away(visit, away);
      case OidcService.Outcome.TooMany(Duration retryAfter) -> tooMany(visit, retryAfter);
      case OidcService.Outcome.Stale _,
          OidcService.Outcome.Entered _,
          OidcService.Outcome.Linked _,
          OidcService.Outcome.Taken _,
          OidcService.Outcome.UnknownProvider _ ->
          problem(visit, 400, visit.wording().text("account.oidc.stale"));
    };
  }

  private Reply done(Visit visit, String sentence, String next) {
    return page(visit, 200, visit.wording().text(sentence), next).header("refresh", AT_ONCE + next);
  }

  private Reply away(Visit visit, OidcService.Outcome.Away away) {
    return problem(visit, 503, text(visit, "account.oidc.away", away.provider()))
        .header("retry-after", Long.toString(away.retryAfter().toSeconds()));
  }

  private Reply tooMany(Visit visit, Duration retryAfter) {
    return problem(
            visit,
            429,
            visit.words().text("account.wait", "time", visit.wording().span(retryAfter)))
        .header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
  }

  private Reply problem(Visit visit, int status, String sentence) {
    return page(visit, status, sentence, OperatorPages.SIGN_IN);
  }

  private Reply page(Visit visit, int status, String sentence, String next) {
    return frame
        .reply(
            visit,
            status,
            PageFrame.Content.plain(
                visit.wording().text("operator.sign_in") + " \u00b7 Fairgate",
                out ->
                    JteoperatorProviderGenerated.render(
                        out, null, visit.wording(), sentence, next)))
        .header("cache-control", "no-store");
  }

  private static String text(Visit visit, String key, String provider) {
    return visit.words().text(key, "provider", provider);
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
