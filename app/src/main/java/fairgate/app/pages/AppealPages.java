package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.gate.appeal.AppealFeature;
import fairgate.gate.appeal.AppealOutcome;
import fairgate.gate.appeal.AppealService;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.appeal.SaleDecisions;
import fairgate.kernel.Decision;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.ErrorPage;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/// `/appeal/{decision_id}`: the appeal against a refusal, a ban or a demotion, with plain forms and
/// without an account; and the public table of appeals of each sale.
public final class AppealPages {
  /// The end of the path of the form for a receipt.
  static final String RECEIPT = "/receipt";

  private static final int BODY_LIMIT = 32 * 1024;
  private static final int FILED = 201;
  private static final Duration FULL_WAIT = Duration.ofMinutes(10);
  private static final Duration RECORDING_WAIT = Duration.ofSeconds(2);

  private final AppealService appeals;
  private final SaleDecisions decisions;
  private final Function<Request, Future<Optional<String>>> accounts;
  private final Predicate<ProductId> products;
  private final AppealView view;
  private final PageSettings settings;
  private final Clock clock;

  /// @param accounts the account id of a request; empty for a guest
  /// @param products whether there is a product of this id
  public AppealPages(
      ShopPages shop,
      AppealFeature appeals,
      Function<Request, Future<Optional<String>>> accounts,
      Predicate<ProductId> products,
      PageSettings settings,
      Clock clock) {
    this.appeals = appeals.service();
    this.decisions = appeals.decisions();
    this.accounts = accounts;
    this.products = products;
    this.view = new AppealView(shop.frame());
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    String path = Decision.APPEAL_PATH + "{decision_id}";
    return List.of(
        Route.blockingGet(path, this::show).limits(PAGE),
        form(path, this::file).limits(PAGE.and("appeal")),
        form(path + RECEIPT, this::showToBearer).limits(PAGE),
        Route.blockingGet("/p/{id}/appeals", this::page).limits(PAGE),
        Route.blockingGet("/api/products/{id}/appeals", this::table).limits(READ));
  }

  private static Route form(String path, Function<Request, Reply> action) {
    return Route.blockingPost(path, action::apply)
        .withBodyLimit(BODY_LIMIT)
        .withBodyBeforeLimits()
        .withDeadline(Route.FORM_DEADLINE);
  }

  /// The page of refusals, also by rate limits: a refused letter is shown again, so that it can be
  /// sent once more. Never blocks.
  ///
  /// @param others the page of all other refusals
  public ErrorPage refusals(ErrorPage others) {
    return (request, status, refusal, message) ->
        isForm(request)
            ? again(request, status, appeals.outline(id(request)), problem(request, refusal))
            : others.draw(request, status, refusal, message);
  }

  /// Whether the request sent a form of ours. Only our route receives a form before the limits; it
  /// has not received one that is too long, or from an address with too many running requests.
  private static boolean isForm(Request request) {
    return request.method() == Method.POST
        && request.path().startsWith(Decision.APPEAL_PATH)
        && request.isReceivedBeforeLimits()
        && SameOrigin.of(request) != SameOrigin.FOREIGN;
  }

  private String problem(Request request, Refusal refusal) {
    Visit visit = visit(request);
    Wording wording = visit.wording();
    boolean isReceived = request.body().length > 0;
    boolean isTooLong =
        !isReceived && refusal.code() == ErrorCode.INVALID_REQUEST && refusal.details().isEmpty();
    String kept = form(request).text().isEmpty() ? "" : wording.text("appeal.kept");
    return wording.sentences(
        isTooLong ? wording.text("appeal.bad_text") : text(request, refusal.code()),
        RefusalPage.wait(visit, refusal),
        isReceived ? kept : wording.text("appeal.not_received"));
  }

  private Reply show(Request request) {
    // The browser needs a cookie to see its appeal again.
    var _ = request.device();
    return reply(request, appeals.look(id(request), person(request)));
  }

  /// Only a letter that is filed uses up the limit of a network.
  private Reply file(Request request) {
    Reply reply = act(request, form -> file(request, form));
    if (reply.status() != FILED) {
      request.uncount();
    }
    return reply;
  }

  private Reply showToBearer(Request request) {
    return act(
        request,
        form -> reply(request, appeals.look(id(request), person(request), form.receipt())));
  }

  private Reply act(Request request, Function<AppealView.Form, Reply> action) {
    try {
      return SameOrigin.of(request) == SameOrigin.OWN
          ? action.apply(form(request))
          : again(request, 403, text(request, ErrorCode.FORBIDDEN));
    } catch (ServiceUnavailable e) {
      return later(
          again(
              request,
              503,
              appeals.outline(id(request)),
              text(request, ErrorCode.SERVICE_UNAVAILABLE)),
          e.retryAfter());
    }
  }

  private Reply file(Request request, AppealView.Form form) {
    return form.problem()
        .map(problem -> again(request, 400, visit(request).wording().text(problem)))
        .orElseGet(
            () ->
                reply(
                    request,
                    appeals.file(id(request), person(request), form.text(), form.contact())));
  }

  /// The form with what the person wrote and the reason of the decision, to be sent again.
  private Reply again(Request request, int status, String problem) {
    return again(request, status, appeals.decision(id(request), person(request)), problem);
  }

  private Reply again(
      Request request, int status, Optional<AppealOutcome.None> decision, String problem) {
    return view.form(visit(request), status, id(request), decision, form(request), problem);
  }

  private Reply reply(Request request, AppealOutcome outcome) {
    Visit visit = visit(request);
    String id = id(request);
    return switch (outcome) {
      case AppealOutcome.None none ->
          view.form(visit, 200, id, Optional.of(none), AppealView.Form.EMPTY, "");
      case AppealOutcome.Filed(var appeal, String receipt, var told) ->
          view.state(visit, FILED, new AppealOutcome.Own(appeal, told, false), receipt, "");
      case AppealOutcome.Own own -> view.state(visit, 200, own, "", "");
      case AppealOutcome.Others(String code, boolean wrong) ->
          wrong
              ? view.others(visit, 403, id, code, visit.wording().text("appeal.wrong_receipt"))
              : view.others(visit, 200, id, code, "");
      case AppealOutcome.NotAdded(var own, String code) ->
          own == null
              ? view.others(visit, 409, id, code, visit.wording().text("appeal.not_added.others"))
              : view.state(visit, 409, own, "", visit.wording().text("appeal.not_added"));
      case AppealOutcome.Unknown() -> view.unknown(visit);
      case AppealOutcome.Recording() ->
          later(again(request, 503, visit.wording().text("appeal.recording")), RECORDING_WAIT);
      case AppealOutcome.Full() ->
          later(again(request, 503, visit.wording().text("appeal.full")), FULL_WAIT);
    };
  }

  /// The table of a sale as a page.
  private Reply page(Request request) {
    return product(request)
        .map(product -> view.table(visit(request), product, decisions.table(product)))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND)));
  }

  /// The table of a sale as JSON.
  private Reply table(Request request) {
    return product(request)
        .map(product -> Reply.json(200, json(product, decisions.table(product)).bytes()))
        .map(reply -> reply.header("cache-control", "public, max-age=60"))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND)));
  }

  private static JsonText json(ProductId product, SaleDecisions.Table table) {
    JsonText json = JsonText.object().put("product_id", product.value());
    put(json, "decisions", table.decisions());
    put(json, "appeals", table.appeals());
    put(json, "decided", table.decided());
    put(json, "won", table.won());
    put(json, "median_seconds", table.medianSeconds());
    return json;
  }

  /// Numbers that are withheld are null.
  private static void put(JsonText json, String name, long number) {
    var _ = number == SaleDecisions.FEW ? json.putRaw(name, "null") : json.put(name, number);
  }

  private Optional<ProductId> product(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .filter(products);
  }

  private Person person(Request request) {
    return new Person(
        request.address(), request.returning(), accounts.apply(request).await().orElse(null));
  }

  private static String id(Request request) {
    return request.pathParam("decision_id");
  }

  private static AppealView.Form form(Request request) {
    return new AppealView.Form(
        field(request, "text"), field(request, "contact"), field(request, "receipt"));
  }

  /// Browsers send a line break as two characters, but count it as one.
  private static String field(Request request, String name) {
    return FormBody.raw(request, name).map(text -> text.replace("\r\n", "\n").strip()).orElse("");
  }

  private String text(Request request, ErrorCode code) {
    return Messages.text(visit(request).language(), "error." + code.name());
  }

  private static Reply later(Reply reply, Duration retryAfter) {
    return reply.header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
