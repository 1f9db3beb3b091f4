package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.JOIN;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import fairgate.queue.QueueService;
import fairgate.standby.StandbyService;
import fairgate.standby.StandbyService.Person;
import fairgate.standby.StandbyService.Registration;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// `/p/{id}/waiting-list`: people register for units that come back to a sold-out sale, and see
/// their position and their offer. Plain pages and forms without JavaScript. Programs that accept
/// JSON get refusals as of the API.
public final class StandbyPages {
  private final ShopPages shop;
  private final StandbyService service;
  private final QueueService queue;
  private final Buyers buyers;
  private final Catalog catalog;
  private final PageSettings settings;
  private final Clock clock;

  public record Services(
      StandbyService standby, QueueService queue, Buyers buyers, Catalog catalog) {}

  public StandbyPages(ShopPages shop, Services services, PageSettings settings, Clock clock) {
    this.shop = shop;
    this.service = services.standby();
    this.queue = services.queue();
    this.buyers = services.buyers();
    this.catalog = services.catalog();
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet(
                "/p/{id}/waiting-list", request -> show(request, 200, SaleView.Problem.NONE))
            .limits(PAGE),
        Route.blockingPost("/p/{id}/waiting-list", this::register).limits(JOIN),
        Route.blockingPost("/p/{id}/waiting-list/leave", this::withdraw).limits(ACT));
  }

  private Reply show(Request request, int status, SaleView.Problem problem) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return missing(request);
    }
    Optional<StandbyService.Position> position = service.find(person(request, product.id()));
    boolean isOffered = service.isOffered(product.id());
    if (!isOffered && position.isEmpty()) {
      return missing(request);
    }
    Visit visit = visit(request);
    return new StandbyView(shop.frame())
        .page(
            visit,
            status,
            new StandbyView.List(
                product.id().value(),
                product.details().name(),
                position,
                isOffered ? product.policy().limits().maxQuantity() : 0,
                product.isOn(clock.instant()) ? product.nextBatchAt() : null,
                problem));
  }

  /// The sale, also when it has no waiting list any more.
  private Optional<Product> sale(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .flatMap(catalog::find);
  }

  private Person person(Request request, ProductId product) {
    String device = queue.deviceHash(product, request.device().id());
    return new Person(product, device, buyers.userOf(request, product).await().orElse(device));
  }

  private Reply register(Request request) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return missing(request);
    }
    if (!service.isOffered(product.id())) {
      return isProgram(request) ? missing(request) : show(request, 409, SaleView.Problem.NONE);
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return refuse(request, Refusal.of(ErrorCode.FORBIDDEN));
    }
    int max = product.policy().limits().maxQuantity();
    int quantity =
        FormBody.field(request, "quantity")
            .filter(text -> text.matches("[0-9]{1,4}"))
            .map(Integer::parseInt)
            .orElse(0);
    if (quantity < 1 || quantity > max) {
      return refuse(request, Refusal.of(ErrorCode.INVALID_REQUEST));
    }
    return switch (buyers.check(request, product.id(), "").await()) {
      case Buyers.Check.Failed(Refusal refusal) -> refuse(request, refusal);
      case Buyers.Check.Passed buyer -> register(request, product.id(), quantity, buyer);
    };
  }

  private Reply register(
      Request request, ProductId product, int quantity, Buyers.Check.Passed buyer) {
    SessionId session = visit(request).session().orElse(null);
    if (session == null) {
      return refuse(request, StandbyService.Outcome.of(Registration.NO_PLACE));
    }
    QueueService.JoinRequest join =
        new QueueService.JoinRequest(
            product,
            "",
            request.device(),
            session,
            buyer.user(),
            buyer.tier(),
            request.caller(),
            request);
    StandbyService.Outcome outcome =
        service.register(
            new StandbyService.Wish(person(request, product), session, quantity, join));
    return outcome.refusal() == null
        ? Reply.redirect(303, "/p/" + product.value() + "/waiting-list")
        : refuse(request, outcome);
  }

  private Reply refuse(Request request, StandbyService.Outcome outcome) {
    Refusal refusal = Objects.requireNonNull(outcome.refusal());
    String text = visit(request).wording().text("standby.problem." + outcome.word().word());
    return refuse(request, refusal, text);
  }

  private Reply refuse(Request request, Refusal refusal) {
    Visit visit = visit(request);
    return refuse(
        request, refusal, Messages.text(visit.language(), "error." + refusal.code().name()));
  }

  /// The page with the refusal and the link to its appeal; for programs the refusal alone.
  private Reply refuse(Request request, Refusal refusal, String text) {
    if (isProgram(request)) {
      return Reply.refuse(refusal);
    }
    return show(
        request,
        Reply.refuse(refusal).status(),
        ShopPages.decision(visit(request), request.decided(refusal), text));
  }

  private static boolean isProgram(Request request) {
    String accept = request.header("accept");
    return accept != null && accept.contains("json");
  }

  private Reply missing(Request request) {
    Refusal refusal = Refusal.of(ErrorCode.NOT_FOUND);
    return isProgram(request)
        ? Reply.refuse(refusal)
        : shop.refusals().draw(request, 404, refusal, _ -> "");
  }

  private Reply withdraw(Request request) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return missing(request);
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return refuse(request, Refusal.of(ErrorCode.FORBIDDEN));
    }
    service.withdraw(person(request, product.id()));
    return Reply.redirect(303, "/p/" + product.id().value() + "/waiting-list");
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
