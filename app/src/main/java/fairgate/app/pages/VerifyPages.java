package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.AccountService;
import fairgate.account.identity.Contact;
import fairgate.account.identity.Identity;
import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.IdentityService;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.identity.IdentityService.VerifyOutcome;
import fairgate.account.message.Channel;
import fairgate.kernel.BidiControls;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
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
import fairgate.platform.text.Messages;
import fairgate.platform.text.TypedCode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `/account/verify`: verifies a telephone, an e-mail address or, for one sale, an identity number,
/// and removes them. Plain forms. With a return path, the visitor goes back to it once the wanted
/// identity is verified.
public final class VerifyPages {
  static final String PATH = "/account/verify";
  private static final Pattern SALE = Pattern.compile("/p/([0-9]{1,19})(?:[?#].*)?");
  private static final Pattern CODE = Pattern.compile("[0-9]{6}");
  private static final int LONGEST_TEXT = 254;
  private static final int LONGEST_NAME = 100;
  private static final Duration COME_BACK = Duration.ofSeconds(5);

  private final AccountService accounts;
  private final IdentityService identities;
  private final List<String> contacts;
  private final boolean numbers;
  private final Predicate<ProductId> products;
  private final VerifyView view;
  private final PageSettings settings;
  private final Clock clock;

  /// @param products whether there is a product of this id
  public VerifyPages(
      ShopPages shop,
      AccountService accounts,
      IdentityFeature identity,
      Predicate<ProductId> products,
      PageSettings settings,
      Clock clock) {
    this.accounts = accounts;
    this.identities = identity.service();
    this.contacts =
        List.of(Channel.SMS, Channel.EMAIL).stream()
            .filter(identity.messages().channels()::contains)
            .map(VerifyPages::kind)
            .toList();
    this.numbers = identity.numbers();
    this.products = products;
    this.view = new VerifyView(shop.frame());
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    routes.add(Route.blockingGet(PATH, this::show).limits(PAGE));
    routes.add(
        Route.blockingPost(PATH + "/remove", it -> own(it, (who, _) -> remove(it, who)))
            .doing(Method.DELETE, "/api/v1/identity/{kind}"));
    for (String kind : contacts) {
      String api = "/api/v1/identity/" + kind;
      routes.add(
          Route.blockingPost(PATH + "/" + kind, it -> own(it, (who, form) -> send(it, who, form)))
              .doing(Method.POST, api));
      routes.add(
          Route.blockingPost(
                  PATH + "/" + kind + "-code", it -> own(it, (who, form) -> confirm(it, who, form)))
              .doing(Method.POST, api + "/confirm"));
    }
    if (numbers) {
      routes.add(
          Route.blockingPost(PATH + "/number", it -> own(it, (who, form) -> number(it, who, form)))
              .doing(Method.POST, "/api/v1/identity/number"));
    }
    return List.copyOf(routes);
  }

  private static String kind(Channel channel) {
    return channel == Channel.SMS ? Identity.PHONE : Identity.EMAIL;
  }

  private interface Step {
    Reply of(SignedIn who, VerifyView.Form form);
  }

  /// Runs a form's step for a signed-in visitor of our own page.
  private Reply own(Request request, Step step) {
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return Reply.refuse(Refusal.of(ErrorCode.FORBIDDEN));
    }
    VerifyView.Form form = form(request);
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    return who == null ? signIn(form) : step.of(who, form);
  }

  private Reply show(Request request) {
    VerifyView.Form form = form(request);
    SignedIn who = accounts.signedIn(request).await().orElse(null);
    if (who == null) {
      return signIn(form);
    }
    boolean asked = request.query("kind") != null && !form.next().isEmpty();
    boolean known =
        asked
            && identities.of(who.account()).await().stream()
                .anyMatch(it -> it.kind().equals(form.kind()) && isFor(it, form));
    return known ? Reply.redirect(303, form.next()) : page(request, who, 200, form, "");
  }

  private static boolean isFor(Identity one, VerifyView.Form form) {
    return !one.kind().equals(Identity.NUMBER) || one.event().equals(form.product());
  }

  /// Signing in leads back to this page.
  private static Reply signIn(VerifyView.Form form) {
    String here = PATH + form.query(form.kind());
    return Reply.redirect(303, "/account?next=" + URLEncoder.encode(here, StandardCharsets.UTF_8));
  }

  private VerifyView.Form form(Request request) {
    String next = ReturnPath.of(request);
    String product = product(next);
    List<String> kinds = new ArrayList<>(contacts);
    if (numbers && !product.isEmpty()) {
      kinds.add(Identity.NUMBER);
    }
    String wanted = wanted(request);
    String kind = kinds.contains(wanted) || kinds.isEmpty() ? wanted : kinds.getFirst();
    return new VerifyView.Form(kind, List.copyOf(kinds), "", false, product, next, "");
  }

  /// A form's kind is the last part of its path.
  private static String wanted(Request request) {
    String path = request.path();
    String kind =
        request.method() == Method.POST
            ? path.substring(path.lastIndexOf('/') + 1).replaceFirst("-code$", "")
            : request.query("kind");
    return kind == null ? "" : kind;
  }

  /// The product of a sale's page; empty when it is another page.
  private String product(String path) {
    Matcher sale = SALE.matcher(path);
    return sale.matches() && ProductId.isValid(sale.group(1))
        ? Optional.of(new ProductId(sale.group(1)))
            .filter(products)
            .map(ProductId::value)
            .orElse("")
        : "";
  }

  private Optional<Contact> contact(VerifyView.Form form, String text) {
    Channel channel = form.kind().equals(Identity.PHONE) ? Channel.SMS : Channel.EMAIL;
    return Contact.of(channel, text);
  }

  private Reply send(Request request, SignedIn who, VerifyView.Form empty) {
    String text = field(request, "contact", LONGEST_TEXT);
    VerifyView.Form form = empty.withContact(text);
    Contact contact = contact(form, text).orElse(null);
    if (contact == null) {
      return page(request, who, 400, form, invalid(request, form.kind()));
    }
    Visit visit = visit(request);
    return switch (identities.sendCode(
        who.account(), contact, request.address(), visit.language())) {
      case SendCodeOutcome.Sent _ ->
          sent(request, who, form, contact.channel() == Channel.SMS ? "code_sent" : "code_mailed");
      case SendCodeOutcome.Late _ -> sent(request, who, form, "code_late");
      case SendCodeOutcome.CountryRefused() ->
          page(request, who, 400, form, invalid(request, "phone_country"));
      case SendCodeOutcome.TooMany(Duration retryAfter) ->
          // An earlier code may be on its way and good.
          later(page(request, who, 429, form.sent(""), wait(visit, retryAfter)), retryAfter);
      case SendCodeOutcome.Unsent(Duration retryAfter) ->
          later(page(request, who, 503, form, ErrorCode.SERVICE_UNAVAILABLE), retryAfter);
    };
  }

  private Reply sent(Request request, SignedIn who, VerifyView.Form form, String text) {
    String message = Messages.text(visit(request).language(), "success." + text);
    return page(request, who, 202, form.sent(message), "");
  }

  private Reply confirm(Request request, SignedIn who, VerifyView.Form empty) {
    String text = field(request, "contact", LONGEST_TEXT);
    VerifyView.Form form = empty.withContact(text).sent("");
    String code = TypedCode.oneTime(field(request, "code", LONGEST_TEXT));
    Contact contact = contact(form, text).orElse(null);
    if (contact == null || !CODE.matcher(code).matches()) {
      return page(request, who, 400, form, ErrorCode.INVALID_CODE);
    }
    return verified(
        request,
        who,
        form,
        identities.confirm(who.account(), contact, code, visit(request).language()));
  }

  private Reply number(Request request, SignedIn who, VerifyView.Form form) {
    String name = field(request, "name", LONGEST_NAME);
    if (BidiControls.in(name)) {
      return page(request, who, 400, form, invalid(request, "direction_control"));
    }
    String number =
        IdentityService.idNumber(field(request, "id_number", LONGEST_NAME)).orElse(null);
    if (form.product().isEmpty() || name.isEmpty() || number == null) {
      return page(request, who, 400, form, invalid(request, "id_number"));
    }
    return verified(
        request,
        who,
        form,
        identities.verifyNumber(who.account(), new ProductId(form.product()), name, number));
  }

  private Reply verified(
      Request request, SignedIn who, VerifyView.Form form, VerifyOutcome outcome) {
    return switch (outcome) {
      case VerifyOutcome.Verified _ ->
          Reply.redirect(303, form.next().isEmpty() ? PATH : form.next());
      case VerifyOutcome.WrongCode() -> page(request, who, 403, form, ErrorCode.INVALID_CODE);
      case VerifyOutcome.Taken() -> taken(request, who, form);
      case VerifyOutcome.NameMismatch() ->
          page(request, who, 400, form, invalid(request, "name_differs"));
      case VerifyOutcome.Unknown() ->
          later(page(request, who, 503, form, ErrorCode.SERVICE_UNAVAILABLE), COME_BACK);
      case VerifyOutcome.TooMany(Duration retryAfter) ->
          later(page(request, who, 429, form, wait(visit(request), retryAfter)), retryAfter);
    };
  }

  private Reply remove(Request request, SignedIn who) {
    String kind = field(request, "kind", LONGEST_TEXT);
    var _ = identities.remove(who.account(), kind, field(request, "event", LONGEST_TEXT));
    return Reply.redirect(303, PATH);
  }

  private Reply page(
      Request request, SignedIn who, int status, VerifyView.Form form, ErrorCode code) {
    String text = Messages.text(visit(request).language(), "error." + code.name());
    return page(request, who, status, form, text);
  }

  private Reply page(
      Request request, SignedIn who, int status, VerifyView.Form form, String problem) {
    return page(request, who, status, form, new VerifyView.Problem(problem, ""));
  }

  private Reply page(
      Request request, SignedIn who, int status, VerifyView.Form form, VerifyView.Problem problem) {
    List<Identity> verified = identities.of(who.account()).await();
    return view.page(visit(request), status, form, verified, problem);
  }

  /// The person can sign in to the other account, or appeal when it is somebody else's.
  private Reply taken(Request request, SignedIn who, VerifyView.Form form) {
    Refusal refusal = request.decided(Refusal.of(ErrorCode.IDENTITY_TAKEN));
    String text = Messages.text(visit(request).language(), "error." + refusal.code().name());
    String appeal = refusal.details().get("appeal_url") instanceof String url ? url : "";
    return page(request, who, 409, form, new VerifyView.Problem(text, appeal));
  }

  private static Reply later(Reply reply, Duration retryAfter) {
    return reply.header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
  }

  private static String wait(Visit visit, Duration retryAfter) {
    return visit.words().text("account.wait", "time", visit.wording().span(retryAfter));
  }

  private String invalid(Request request, String problem) {
    Visit visit = visit(request);
    String name =
        switch (problem) {
          case "name_differs", "direction_control" -> "name";
          case "id_number" -> "number";
          case "phone_country" -> "phone";
          default -> problem;
        };
    String field = visit.wording().text("account.verify." + name);
    return Messages.text(visit.language(), "invalid." + problem, field);
  }

  private static String field(Request request, String name, int longest) {
    return FormBody.field(request, name)
        .map(String::strip)
        .filter(text -> text.length() <= longest)
        .orElse("");
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
