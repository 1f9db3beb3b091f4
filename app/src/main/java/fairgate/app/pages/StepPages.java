package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.identity.Contact;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.identity.JoinCodes;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.gate.JoinSteps;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import fairgate.platform.text.TypedCode;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/// `/p/{id}/step`: the step that a risky join needs, with its alternatives. A code works without
/// JavaScript. Whoever has passed the step goes back to the sale and joins.
public final class StepPages {
  private static final String PATH = "/p/{id}/step";
  private static final Pattern CODE = Pattern.compile("[0-9]{6}");
  private static final int LONGEST_TEXT = 254;

  private final StepView view;
  private final ShopPages shop;
  private final JoinSteps steps;
  private final Optional<JoinCodes> codes;
  private final Catalog catalog;
  private final PageSettings settings;
  private final Clock clock;

  /// The features behind the pages.
  ///
  /// @param codes empty when no codes are sent
  public record Services(JoinSteps steps, Optional<JoinCodes> codes, Catalog catalog) {}

  public StepPages(ShopPages shop, Services services, PageSettings settings, Clock clock) {
    this.view = new StepView(shop.frame());
    this.shop = shop;
    this.steps = services.steps();
    this.codes = services.codes();
    this.catalog = services.catalog();
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>();
    routes.add(Route.blockingGet(PATH, request -> asked(request, this::show)).limits(PAGE));
    codes.ifPresent(
        it -> {
          routes.add(
              Route.blockingPost(
                      PATH + "/code", own(request -> asked(request, asked -> send(it, asked))))
                  .limits(ACT));
          routes.add(
              Route.blockingPost(
                      PATH + "/confirm",
                      own(request -> asked(request, asked -> confirm(it, asked))))
                  .limits(ACT));
        });
    return List.copyOf(routes);
  }

  /// A request of a browser that was asked for a step.
  private record Asked(
      Request request, Product product, JoinSteps.Ticket ticket, String text, String contact) {
    JoinCodes.Joiner joiner() {
      return new JoinCodes.Joiner(product.id(), request.device().id(), request.address());
    }
  }

  private interface Act {
    Reply of(Asked asked);
  }

  private static Handler.Blocking own(Function<Request, Reply> handler) {
    return request ->
        SameOrigin.of(request) == SameOrigin.OWN
            ? handler.apply(request)
            : Reply.refuse(Refusal.of(ErrorCode.FORBIDDEN));
  }

  /// Runs the act for a browser with a ticket. Any other one goes to the sale, where it can join
  /// and get one.
  private Reply asked(Request request, Act act) {
    Product product =
        Optional.of(request.pathParam("id"))
            .filter(ProductId::isValid)
            .map(ProductId::new)
            .flatMap(catalog::find)
            .orElse(null);
    if (product == null) {
      return shop.notices().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
    }
    String text = request.query(JoinSteps.TICKET);
    return Optional.ofNullable(text)
        .flatMap(it -> steps.ticket(it, request, product.id()))
        .map(
            ticket ->
                act.of(
                    new Asked(
                        request, product, ticket, String.valueOf(text), field(request, "contact"))))
        .orElseGet(() -> Reply.redirect(303, "/p/" + product.id().value()));
  }

  private Reply show(Asked asked) {
    return page(asked, 200, false, "", "");
  }

  private Reply send(JoinCodes all, Asked asked) {
    Contact contact = all.contact(asked.contact()).orElse(null);
    if (contact == null) {
      return page(asked, 400, false, "", invalid(asked, "contact"));
    }
    return switch (all.send(asked.joiner(), contact, visit(asked).language())) {
      case SendCodeOutcome.Sent _ ->
          page(
              asked,
              202,
              true,
              Messages.text(
                  visit(asked).language(),
                  contact.kind().equals("phone") ? "success.code_sent" : "success.code_mailed"),
              "");
      case SendCodeOutcome.Late _ ->
          excused(
              asked, 202, true, Messages.text(visit(asked).language(), "success.code_late"), "");
      case SendCodeOutcome.CountryRefused() ->
          page(asked, 400, false, "", invalid(asked, "phone_country"));
      case SendCodeOutcome.TooMany(Duration retryAfter) ->
          // An earlier code may be on its way and good.
          later(page(asked, 429, true, "", wait(asked, retryAfter)), retryAfter);
      case SendCodeOutcome.Unsent(Duration retryAfter) ->
          later(
              excused(asked, 503, false, "", text(asked, ErrorCode.SERVICE_UNAVAILABLE)),
              retryAfter);
    };
  }

  private Reply confirm(JoinCodes all, Asked asked) {
    String code = TypedCode.oneTime(field(asked.request(), "code"));
    Contact contact = all.contact(asked.contact()).orElse(null);
    if (contact == null || !CODE.matcher(code).matches()) {
      return page(asked, 400, true, "", text(asked, ErrorCode.INVALID_CODE));
    }
    return switch (all.confirm(asked.joiner(), contact, code)) {
      case JoinCodes.Outcome.Right() ->
          steps.passed(
              Reply.redirect(303, StepView.back(asked.request(), asked.product().id())),
              asked.request(),
              asked.product().id(),
              JoinStep.CODE);
      case JoinCodes.Outcome.WrongCode() ->
          page(asked, 403, true, "", text(asked, ErrorCode.INVALID_CODE));
      case JoinCodes.Outcome.TooMany(Duration retryAfter) ->
          later(page(asked, 429, true, "", wait(asked, retryAfter)), retryAfter);
    };
  }

  /// The service of messages fails, which is not the buyer's fault: an easier step counts as much.
  private Reply excused(Asked asked, int status, boolean coded, String message, String problem) {
    Reply reply = page(asked, JoinStep.SLIDER, status, coded, message, problem);
    return steps.unsent(reply, asked.request(), asked.product().id());
  }

  private Reply page(Asked asked, int status, boolean coded, String message, String problem) {
    JoinStep needed = steps.now(asked.ticket().step(), asked.request(), asked.product().id());
    return page(asked, needed, status, coded, message, problem);
  }

  private Reply page(
      Asked asked, JoinStep needed, int status, boolean coded, String message, String problem) {
    return view.page(
        visit(asked),
        status,
        new StepView.Facts(
            asked.product(),
            asked.text(),
            asked.ticket().decision(),
            needed,
            offered(needed, asked.request()),
            codes.map(JoinCodes::channels).orElse(Set.of()),
            coded,
            asked.contact(),
            message,
            problem));
  }

  /// The step itself, then the others that count as much, then the proof of work.
  private List<JoinStep> offered(JoinStep needed, Request request) {
    List<JoinStep> offered = new ArrayList<>(List.of(needed));
    for (JoinStep other : List.of(JoinStep.CODE, JoinStep.PASSKEY)) {
      if (other != needed
          && JoinSteps.countsFor(needed, other)
          && steps.isOffered(other, request)) {
        offered.add(other);
      }
    }
    if (needed != JoinStep.WORK) {
      offered.add(JoinStep.WORK);
    }
    return offered;
  }

  private static Reply later(Reply reply, Duration retryAfter) {
    return reply.header("retry-after", Long.toString(retryAfter.toSeconds() + 1));
  }

  private String wait(Asked asked, Duration retryAfter) {
    Visit visit = visit(asked);
    return visit.words().text("account.wait", "time", visit.wording().span(retryAfter));
  }

  private String text(Asked asked, ErrorCode code) {
    return Messages.text(visit(asked).language(), "error." + code.name());
  }

  private String invalid(Asked asked, String problem) {
    Visit visit = visit(asked);
    return Messages.text(
        visit.language(), "invalid." + problem, visit.wording().text("account.contact"));
  }

  private static String field(Request request, String name) {
    return FormBody.field(request, name)
        .map(String::strip)
        .filter(text -> text.length() <= LONGEST_TEXT)
        .orElse("");
  }

  private Visit visit(Asked asked) {
    return Visit.of(asked.request(), settings, clock.instant());
  }
}
