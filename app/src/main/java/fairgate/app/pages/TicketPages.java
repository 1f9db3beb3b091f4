package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.BuyerField;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.ProductContent;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import fairgate.sale.DetailsInput;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.PaymentFeature;
import fairgate.ticket.Ticket;
import fairgate.ticket.TicketService;
import fairgate.ticket.TicketService.Linked;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `/o/{id}/tickets`, the tickets of a paid order for its buyer, and `/t/{link}`, the page of the
/// person to whom a ticket is offered or was transferred. Plain pages and forms without JavaScript.
public final class TicketPages {
  private static final BuyerField NAME =
      new BuyerField(BuyerField.Kind.NAME, "name", Map.of(), true);

  private final ShopPages shop;
  private final PaymentFeature payment;
  private final TicketService tickets;
  private final Catalog catalog;
  private final PageSettings settings;
  private final String baseUrl;
  private final Clock clock;
  private final TicketView view;

  public record Services(PaymentFeature payment, TicketService tickets, Catalog catalog) {}

  /// @param baseUrl the address of this server as buyers see it; empty takes the one that it
  ///   listens on
  public TicketPages(
      ShopPages shop, Services services, PageSettings settings, String baseUrl, Clock clock) {
    this.shop = shop;
    this.payment = services.payment();
    this.tickets = services.tickets();
    this.catalog = services.catalog();
    this.settings = settings;
    this.baseUrl = baseUrl.replaceFirst("/+$", "");
    this.clock = clock;
    this.view = new TicketView(shop.frame());
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/o/{id}/tickets", request -> own(request, 200, "")).limits(PAGE),
        Route.blockingPost("/o/{id}/tickets/{place}", this::change).limits(ACT),
        Route.blockingGet("/t/{link}", request -> linked(request, 200, "")).limits(PAGE),
        Route.blockingPost("/t/{link}", this::takeOver).limits(ACT));
  }

  private Optional<Order> find(Request request) {
    String named = request.pathParam("id");
    if (!OrderId.isValid(named)) {
      return Optional.empty();
    }
    OrderId id = new OrderId(named);
    return payment
        .service()
        .find(id, payment.askerOf(request, id).await())
        .await()
        .filter(order -> tickets.isOffered(order.id().product()));
  }

  private Reply own(Request request, int status, String problem) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    if (order.status() != OrderStatus.PAID) {
      return Reply.redirect(303, "/o/" + order.id().value());
    }
    List<TicketView.Owned> cards =
        tickets.of(order.id()).stream().map(it -> owned(request, it)).toList();
    return view.own(
        visit(request),
        status,
        event(request, order.id()),
        new TicketView.Own(order.id(), cards, problem));
  }

  private TicketView.Owned owned(Request request, Ticket ticket) {
    boolean theirs = ticket.transferredAt() == null;
    return new TicketView.Owned(
        ticket,
        theirs && ticket.use() == null && ticket.isPaid() ? tickets.code(ticket) : "",
        tickets.holder(ticket),
        ticket.offered() && ticket.isPaid()
            ? base(request) + "/t/" + tickets.offerLink(ticket)
            : "",
        tickets.canTransfer(ticket.order().product()));
  }

  private String base(Request request) {
    return baseUrl.isEmpty() ? request.serverUrl() : baseUrl;
  }

  private TicketView.Event event(Request request, OrderId order) {
    Product product = catalog.find(order.product()).orElseThrow();
    ProductContent content = product.content();
    return new TicketView.Event(
        content.name(visit(request).language(), product.details().name()),
        content.venue(),
        content.startsAt());
  }

  /// Offers a ticket to a person, or ends the offer.
  private Reply change(Request request) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return own(request, 403, error(request, ErrorCode.FORBIDDEN));
    }
    int place = place(request);
    if (FormBody.field(request, "act").filter("withdraw"::equals).isPresent()) {
      return tickets.withdraw(order.id(), place)
          ? Reply.redirect(303, "/o/" + order.id().value() + "/tickets")
          : own(request, 409, text(request, "ticket.problem.withdraw"));
    }
    DetailsInput input =
        DetailsInput.read(List.of(NAME), key -> FormBody.field(request, key).orElse(null));
    if (!input.problems().isEmpty()) {
      return own(request, 400, text(request, "ticket.problem.name"));
    }
    return tickets.offer(order.id(), place, input.values().getOrDefault("name", ""))
        ? Reply.redirect(303, "/o/" + order.id().value() + "/tickets")
        : own(request, 409, text(request, "ticket.problem.offer"));
  }

  /// The number of the ticket in its order; 0 for none.
  private static int place(Request request) {
    String text = request.pathParam("place");
    return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : 0;
  }

  private Reply linked(Request request, int status, String problem) {
    String link = request.pathParam("link");
    // The browser needs a cookie to find the ticket again after it has taken it over.
    var device = request.device();
    Linked linked = tickets.open(link).orElse(null);
    if (linked == null || !tickets.isOffered(linked.ticket().order().product())) {
      return shop.refusals()
          .draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "")
          .header("referrer-policy", "same-origin");
    }
    Ticket ticket = linked.ticket();
    TicketView.Event event = event(request, ticket.order());
    return switch (linked) {
      case Linked.Offered(_, String name) ->
          view.offer(
              visit(request), status, event, new TicketView.Offer(link, name, false, problem));
      case Linked.Gone _ ->
          tickets.isTaker(ticket, device.id())
              ? Reply.redirect(303, "/t/" + tickets.ownLink(ticket))
              : view.offer(
                  visit(request), status, event, new TicketView.Offer(link, "", true, problem));
      case Linked.Own _ ->
          view.linked(
              visit(request),
              event,
              new TicketView.Owned(
                  ticket,
                  ticket.use() == null && ticket.isPaid() ? tickets.code(ticket) : "",
                  tickets.holder(ticket),
                  "",
                  false));
    };
  }

  private Reply takeOver(Request request) {
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return linked(request, 403, error(request, ErrorCode.FORBIDDEN));
    }
    return tickets
        .takeOver(request.pathParam("link"), request.device().id())
        .map(own -> Reply.redirect(303, "/t/" + own))
        .orElseGet(() -> linked(request, 409, ""));
  }

  private String error(Request request, ErrorCode code) {
    return Messages.text(visit(request).language(), "error." + code.name());
  }

  private String text(Request request, String key) {
    return visit(request).wording().text(key);
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
