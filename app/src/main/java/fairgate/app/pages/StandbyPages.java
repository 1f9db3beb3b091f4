package fairgate.app.pages;

import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.text.Messages;
import fairgate.queue.QueueService;
import fairgate.standby.StandbyService;
import fairgate.standby.StandbyService.Person;
import fairgate.standby.StandbyService.Registration;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/p/{id}/waiting-list`: people register for units that come back to a sold-out sale, and see
/// their position and their offer. Plain pages and forms without JavaScript.
public final class StandbyPages {
  private final ShopPages shop;
  private final StandbyService service;
  private final QueueService queue;
  private final Buyers buyers;
  private final Catalog catalog;
  private final PageSettings settings;
  private final Clock clock;

  /// The features behind the pages.
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
        Route.blockingGet("/p/{id}/waiting-list", request -> show(request, 200, "")),
        Route.blockingPost("/p/{id}/waiting-list", this::register),
        Route.blockingPost("/p/{id}/waiting-list/leave", this::withdraw));
  }

  private Reply show(Request request, int status, String problem) {
    Product product = product(request).orElse(null);
    if (product == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), "");
    }
    Visit visit = visit(request);
    return new StandbyView(shop.frame())
        .page(
            visit,
            status,
            new StandbyView.List(
                product.id().value(),
                product.details().name(),
                service.find(person(request, product.id())),
                product.policy().limits().maxQuantity(),
                problem));
  }

  /// A sale with a waiting list.
  private Optional<Product> product(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .filter(service::isOffered)
        .flatMap(catalog::find);
  }

  private Person person(Request request, ProductId product) {
    String device = queue.deviceHash(product, request.device().id());
    return new Person(product, device, buyers.userOf(request, product).await().orElse(device));
  }

  private Reply register(Request request) {
    Product product = product(request).orElse(null);
    if (product == null || SameOrigin.of(request) != SameOrigin.OWN) {
      return show(request, 403, error(request, ErrorCode.FORBIDDEN));
    }
    int max = product.policy().limits().maxQuantity();
    int quantity =
        FormBody.field(request, "quantity")
            .filter(text -> text.matches("[0-9]{1,4}"))
            .map(Integer::parseInt)
            .orElse(0);
    if (quantity < 1 || quantity > max) {
      return show(request, 400, error(request, ErrorCode.INVALID_REQUEST));
    }
    return switch (buyers.check(request, product.id(), "").await()) {
      case Buyers.Check.Failed(Refusal refusal) ->
          show(request, Reply.refuse(refusal).status(), error(request, refusal.code()));
      case Buyers.Check.Passed _ -> register(request, product.id(), quantity);
    };
  }

  private Reply register(Request request, ProductId product, int quantity) {
    SessionId session = visit(request).session().orElse(null);
    Registration registration =
        session == null
            ? Registration.NO_PLACE
            : service.register(person(request, product), session, request.caller(), quantity);
    return switch (registration) {
      case DONE -> Reply.redirect(303, "/p/" + product.value() + "/waiting-list");
      case UNITS_LEFT, NOT_OPEN, NO_PLACE, HELD, BOUGHT, FULL, NETWORK ->
          show(
              request,
              409,
              visit(request).wording().text("standby.problem." + registration.word()));
    };
  }

  private Reply withdraw(Request request) {
    Product product = product(request).orElse(null);
    if (product == null || SameOrigin.of(request) != SameOrigin.OWN) {
      return show(request, 403, error(request, ErrorCode.FORBIDDEN));
    }
    service.withdraw(person(request, product.id()));
    return Reply.redirect(303, "/p/" + product.id().value() + "/waiting-list");
  }

  private String error(Request request, ErrorCode code) {
    return Messages.text(visit(request).language(), "error." + code.name());
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings.currency(), clock.instant());
  }
}
