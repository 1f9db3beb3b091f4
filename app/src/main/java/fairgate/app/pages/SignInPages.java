package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.AccountFeature;
import fairgate.account.AccountService;
import fairgate.account.AccountService.LoginOutcome;
import fairgate.account.PasskeyService;
import fairgate.account.PasskeyService.Passkey;
import fairgate.account.PublicOrigin;
import fairgate.account.SessionCookie;
import fairgate.account.SignIn;
import fairgate.account.SignInMethods.Removal;
import fairgate.account.SignInTickets;
import fairgate.account.oidc.OidcExchange;
import fairgate.account.oidc.OidcFeature;
import fairgate.account.oidc.OidcService;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// `/account/oidc/{provider}`, its callback, and `/account/sign-in`, the page of the ways to sign
/// in.
public final class SignInPages {
  private static final String HOME = "/account";
  private static final String WAYS = HOME + "/sign-in";
  private static final String START = HOME + "/oidc/{provider}";

  private final AccountService accounts;
  private final OidcService oidc;
  private final SignInTickets tickets;
  private final Optional<PasskeyService> passkeys;
  private final SignInView view;
  private final PublicOrigin origin;
  private final PageSettings settings;
  private final Clock clock;

  public SignInPages(
      ShopPages shop,
      AccountFeature accounts,
      Choices choices,
      PageSettings settings,
      Clock clock) {
    this.accounts = accounts.service();
    this.oidc = choices.oidc().service();
    this.tickets = choices.oidc().tickets();
    this.view = new SignInView(shop.frame());
    this.origin = choices.origin();
    this.passkeys = choices.passkeys();
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet(START, this::start).limits(PAGE).withDeadline(OidcFeature.LONGEST),
        Route.blockingGet(START + "/callback", this::callback)
            .limits(PAGE)
            .withDeadline(OidcFeature.LONGEST),
        Route.blockingGet(WAYS, this::ways).limits(PAGE),
        Route.blockingPost(WAYS + "/unlink", this::unlink).limits(ACT),
        Route.blockingPost(WAYS + "/remove-passkey", this::removePasskey)
            .doing(Method.DELETE, "/api/v1/passkeys/{id}"));
  }

  private Reply start(Request request) {
    Visit visit = visit(request);
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    if (who != null && SameOrigin.of(request) == SameOrigin.FOREIGN) {
      // Another site must not start changes of an account.
      return Reply.redirect(303, WAYS);
    }
    Optional<String> here = origin.of(request);
    if (here.isEmpty()) {
      return problem(visit, who, 503, visit.wording().text("account.oidc.no_address"));
    }
    String next = who == null ? ReturnPath.of(request) : "";
    return switch (oidc.start(
        request.pathParam("provider"), here.get(), who, next, SignIn.caller(request))) {
      case OidcService.Outcome.Redirect redirect ->
          tickets.put(
              Reply.redirect(303, redirect.to().toString()).header("cache-control", "no-store"),
              redirect.ticket());
      case OidcService.Outcome.UnknownProvider() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      case OidcService.Outcome.Away away -> away(visit, who, away);
      case OidcService.Outcome.TooMany(Duration retryAfter) -> tooMany(visit, who, retryAfter);
    };
  }

  private Reply callback(Request request) {
    Visit visit = visit(request);
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    OidcService.Outcome.Finish outcome =
        oidc.finish(
            request.pathParam("provider"),
            callbackOf(request),
            tickets.find(request, OidcService.TICKET),
            who,
            SignIn.caller(request));
    Reply reply = finished(visit, who, outcome);
    // A callback that belongs to no sign-in must not end the one that is under way.
    return outcome instanceof OidcService.Outcome.Stale
            || outcome instanceof OidcService.Outcome.UnknownProvider
        ? reply
        : SignInTickets.remove(reply, OidcService.TICKET);
  }

  private Reply finished(Visit visit, @Nullable SignedIn who, OidcService.Outcome.Finish outcome) {
    return switch (outcome) {
      case OidcService.Outcome.Entered(LoginOutcome.Granted granted, String next) ->
          SessionCookie.put(
              Reply.redirect(303, next.isEmpty() ? HOME : next),
              visit.request(),
              granted.token(),
              Duration.between(clock.instant(), granted.expiresAt()));
      case OidcService.Outcome.Linked() -> Reply.redirect(303, WAYS);
      case OidcService.Outcome.Taken(String provider) ->
          problem(visit, who, 409, text(visit, "account.oidc.taken", provider));
      case OidcService.Outcome.Stale() ->
          problem(visit, who, 400, visit.wording().text("account.oidc.stale"));
      case OidcService.Outcome.Declined(String provider) ->
          problem(visit, who, 403, text(visit, "account.oidc.declined", provider));
      case OidcService.Outcome.Invalid(String provider) ->
          problem(visit, who, 403, text(visit, "account.oidc.invalid", provider));
      case OidcService.Outcome.UnknownProvider() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      case OidcService.Outcome.Away away -> away(visit, who, away);
      case OidcService.Outcome.TooMany(Duration retryAfter) -> tooMany(visit, who, retryAfter);
    };
  }

  private Reply ways(Request request) {
    Visit visit = visit(request);
    return accounts
        .signedIn(request)
        .await()
        .map(who -> ways(visit, who, 200, ""))
        .orElseGet(() -> Reply.redirect(303, HOME));
  }

  private Reply ways(Visit visit, SignedIn who, int status, String problem) {
    List<String> linked = oidc.linked(who.account()).await();
    List<Passkey> keys =
        passkeys.map(service -> service.list(who.account()).await()).orElse(List.of());
    return view.ways(
        visit,
        status,
        new SignInView.Ways(oidc.providers(), linked, keys, passkeys.isPresent()),
        problem);
  }

  private Reply unlink(Request request) {
    return remove(request, (who, form) -> oidc.unlink(who, field(form, "provider")));
  }

  private Reply removePasskey(Request request) {
    return remove(
        request,
        (who, form) ->
            passkeys
                .map(service -> service.remove(who, field(form, "passkey")))
                .orElse(Removal.UNKNOWN));
  }

  private Reply remove(Request request, BiFunction<SignedIn, Request, Removal> step) {
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return Reply.refuse(Refusal.of(ErrorCode.FORBIDDEN));
    }
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    return who == null
        ? Reply.redirect(303, HOME)
        : removed(visit(request), who, step.apply(who, request));
  }

  private static String field(Request request, String name) {
    return FormBody.field(request, name).orElse("");
  }

  private Reply removed(Visit visit, SignedIn who, Removal removal) {
    return switch (removal) {
      case REMOVED, UNKNOWN -> Reply.redirect(303, WAYS);
      case LAST -> ways(visit, who, 409, visit.wording().text("account.ways.last"));
    };
  }

  private Reply away(Visit visit, @Nullable SignedIn who, OidcService.Outcome.Away away) {
    return problem(visit, who, 503, text(visit, "account.oidc.away", away.provider()))
        .header("retry-after", Long.toString(away.retryAfter().toSeconds()));
  }

  private Reply tooMany(Visit visit, @Nullable SignedIn who, Duration retryAfter) {
    String sentence = visit.words().text("account.wait", "time", visit.wording().span(retryAfter));
    return problem(visit, who, 429, sentence)
        .header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
  }

  private Reply problem(Visit visit, @Nullable SignedIn who, int status, String sentence) {
    return who == null ? view.problem(visit, status, sentence) : ways(visit, who, status, sentence);
  }

  private static String text(Visit visit, String key, String provider) {
    return visit.words().text(key, "provider", provider);
  }

  static OidcExchange.Callback callbackOf(Request request) {
    return new OidcExchange.Callback(
        parameter(request, "state"),
        parameter(request, "code"),
        parameter(request, "error"),
        parameter(request, "iss"));
  }

  private static String parameter(Request request, String name) {
    String value = request.query(name);
    return value == null ? "" : value;
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }

  /// The ways to sign in besides a password, as the settings allow them.
  ///
  /// @param passkeys empty when passkeys are off
  /// @param origin the origin to which providers send the browser back
  public record Choices(OidcFeature oidc, Optional<PasskeyService> passkeys, PublicOrigin origin) {
    /// The providers, in the order of their buttons.
    public List<OidcService.Choice> providers() {
      return oidc.service().providers();
    }
  }
}
