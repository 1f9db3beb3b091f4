package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.OrderId;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentService;
import fairgate.sale.receipt.OrderLinks;
import fairgate.ticket.Ticket;
import fairgate.ticket.TicketService;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/r/{link}` and `/r/{link}/tickets`: an order and its tickets for whoever has a link of a
/// message to the buyer. The buyer's own browser goes on to the order's page, also by a link that
/// has ended.
public final class OrderLinkPages {
  private final ShopPages shop;
  private final Services services;
  private final PageSettings settings;
  private final Clock clock;
  private final OrderView orders;
  private final TicketView tickets;

  public record Services(
      PaymentFeature payment, OrderLinks links, TicketService tickets, Catalog catalog) {}

  public OrderLinkPages(ShopPages shop, Services services, PageSettings settings, Clock clock) {
    this.shop = shop;
    this.services = services;
    this.settings = settings;
    this.clock = clock;
    this.orders = new OrderView(shop.frame());
    this.tickets = new TicketView(shop.frame());
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/r/{link}", this::order).limits(PAGE),
        Route.blockingGet("/r/{link}/tickets", this::tickets).limits(PAGE));
  }

  private Reply order(Request request) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return ended(request);
    }
    if (isOwn(request, order.id())) {
      return Reply.redirect(303, "/o/" + order.id().value());
    }
    boolean hasTickets = hasTickets(order);
    return hidden(
        orders.linked(
            visit(request),
            new OrderView.Receipt(
                order,
                Optional.empty(),
                Optional.empty(),
                product(request, order),
                "",
                false,
                hasTickets ? "/r/" + request.pathParam("link") + "/tickets" : "",
                services.payment().refunds().of(order.id()),
                isDisputed(order),
                false,
                "",
                "")));
  }

  private Reply tickets(Request request) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return ended(request);
    }
    if (!hasTickets(order)) {
      return hidden(Reply.redirect(303, "/r/" + request.pathParam("link")));
    }
    Product product = services.catalog().find(order.id().product()).orElseThrow();
    List<TicketView.Owned> cards =
        services.tickets().of(order.id()).stream().map(this::shown).toList();
    TicketView.Event event =
        new TicketView.Event(
            product(request, order), product.content().venue(), product.content().startsAt());
    return hidden(tickets.shared(visit(request), event, cards));
  }

  private TicketView.Owned shown(Ticket ticket) {
    boolean admits = ticket.transferredAt() == null && ticket.use() == null && ticket.isPaid();
    return new TicketView.Owned(
        ticket,
        admits ? services.tickets().code(ticket) : "",
        services.tickets().holder(ticket),
        "",
        false);
  }

  private Optional<Order> find(Request request) {
    return services
        .links()
        .open(request.pathParam("link"))
        .flatMap(id -> services.payment().service().find(id).await());
  }

  private boolean isOwn(Request request, OrderId id) {
    PaymentService.Requester asker = services.payment().askerOf(request, id).await();
    return services.payment().service().find(id, asker).await().isPresent();
  }

  private boolean hasTickets(Order order) {
    return order.status() == OrderStatus.PAID && services.tickets().isOffered(order.id().product());
  }

  private boolean isDisputed(Order order) {
    return !services.payment().refunds().disputed(List.of(order.id())).isEmpty();
  }

  private String product(Request request, Order order) {
    return services
        .catalog()
        .find(order.id().product())
        .map(it -> it.content().name(visit(request).language(), it.details().name()))
        .orElse("");
  }

  private Reply ended(Request request) {
    OrderId id = OrderLinks.named(request.pathParam("link")).orElse(null);
    if (id != null && isOwn(request, id)) {
      return Reply.redirect(303, "/o/" + id.value());
    }
    return hidden(
        shop.notices().told(visit(request), 404, "receipt.link.ended", "receipt.link.ended.more"));
  }

  /// The address is the right to see the order: no other site learns it, and no cache keeps it.
  private static Reply hidden(Reply reply) {
    return reply.header("referrer-policy", "same-origin").header("cache-control", "no-store");
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
