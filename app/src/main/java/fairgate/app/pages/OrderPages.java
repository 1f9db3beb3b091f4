package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.ACT;

import fairgate.account.identity.Contact;
import fairgate.account.message.Channel;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.deposit.DepositFeature;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderSearch;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentOutcome;
import fairgate.sale.payment.PaymentService;
import fairgate.sale.payment.Refund;
import fairgate.sale.receipt.OrderContacts;
import fairgate.sale.receipt.OrderLinks;
import fairgate.ticket.TicketService;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// `/o/{id}`, the receipt of an order for its owner, and `/orders`, the orders of an account and of
/// this browser. Plain pages and forms without JavaScript.
public final class OrderPages {
  private static final int PAGE = 50;
  private static final int LONGEST_ADDRESS = 254;

  /// The newest products are searched; each has its own hash of the browser.
  private static final int MAX_PRODUCTS = 200;

  private final ShopPages shop;
  private final PaymentFeature payment;
  private final Ledger ledger;
  private final OrderContacts contacts;
  private final OrderLinks links;
  private final TicketService tickets;
  private final DepositFeature deposits;
  private final Catalog catalog;
  private final OrderView view;
  private final PageSettings settings;
  private final Clock clock;

  /// The orders, where their receipts go, the links in these, their tickets, and their deposits.
  public record Books(
      Ledger ledger,
      OrderContacts contacts,
      OrderLinks links,
      TicketService tickets,
      DepositFeature deposits) {}

  public OrderPages(
      ShopPages shop,
      PaymentFeature payment,
      Books books,
      Catalog catalog,
      PageSettings settings,
      Clock clock) {
    this.shop = shop;
    this.payment = payment;
    this.ledger = books.ledger();
    this.contacts = books.contacts();
    this.links = books.links();
    this.tickets = books.tickets();
    this.deposits = books.deposits();
    this.catalog = catalog;
    this.view = new OrderView(shop.frame());
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/orders", this::list).limits(RouteLimits.PAGE),
        Route.blockingGet("/o/{id}", request -> receipt(request, 200, "")).limits(RouteLimits.PAGE),
        Route.blockingPost("/o/{id}/cancel", this::cancel)
            .doing(Method.POST, "/api/orders/{order_id}/cancel"),
        Route.blockingPost("/o/{id}/receipt", this::mail).limits(ACT),
        Route.blockingPost("/o/{id}/end-links", this::endLinks).limits(ACT));
  }

  private Reply receipt(Request request, int status, String problem) {
    return receipt(request, status, problem, "");
  }

  private Reply receipt(Request request, int status, String problem, String notice) {
    Visit visit = Visit.of(request, settings, clock.instant());
    Order order = find(request).orElse(null);
    if (order == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    if (order.id().isDeposit()) {
      return Reply.redirect(303, DepositPages.after(order.id()));
    }
    Optional<Deposit> deposit =
        Optional.ofNullable(order.deposit()).flatMap(deposits.service()::of);
    Optional<Deposit> aside = order.deposit() == null ? aside(order) : Optional.empty();
    List<Refund> refunds = new ArrayList<>(payment.refunds().of(order.id()));
    deposit.or(() -> aside).ifPresent(it -> refunds.addAll(payment.refunds().of(it.id())));
    return view.receipt(
        visit,
        status,
        new OrderView.Receipt(
            order,
            deposit,
            aside,
            name(visit, order.id()),
            Optional.ofNullable(payment.service().paymentUrl(order)).orElse(""),
            isAsked(order),
            order.status() == OrderStatus.PAID && tickets.isOffered(order.id().product())
                ? "/o/" + order.id().value() + "/tickets"
                : "",
            refunds,
            !payment.refunds().disputed(List.of(order.id())).isEmpty(),
            contacts.takesEmail(),
            notice,
            problem));
  }

  /// The deposit of the order's place, for an order that has used none. Without it, the page shows
  /// all else.
  private Optional<Deposit> aside(Order order) {
    boolean asks =
        catalog
            .find(order.id().product())
            .filter(it -> it.policy().payment().deposit() != null)
            .isPresent();
    return asks
        ? deposits
            .standings()
            .ofPlace(order.id().product(), order.session())
            .otherwise(Optional.empty())
            .await()
        : Optional.empty();
  }

  private boolean isAsked(Order order) {
    return order.status() == OrderStatus.PAID
        && payment.details().asks(order.id().product())
        && payment.details().find(order.id()).isEmpty();
  }

  /// The order with this id, or with this number among the visitor's own orders.
  private Optional<Order> find(Request request) {
    String named = request.pathParam("id");
    return OrderId.isValid(named)
        ? find(request, new OrderId(named))
        : OrderNumber.parse(named)
            .flatMap(number -> numbered(request, number))
            .flatMap(id -> find(request, id));
  }

  private Optional<OrderId> numbered(Request request, OrderNumber number) {
    OrderSearch.Query query =
        new OrderSearch.Query(null, null, number, null, users(request), null, null, null);
    return ledger.search().page(query, new OrderSearch.Query.Page(null, 1)).stream()
        .map(LedgerOrder::id)
        .findFirst();
  }

  private Optional<Order> find(Request request, OrderId id) {
    PaymentService.Requester asker = payment.askerOf(request, id).await();
    return payment.service().find(id, asker).await();
  }

  private Reply cancel(Request request) {
    String named = request.pathParam("id");
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return receipt(request, 403, text(request, Refusal.of(ErrorCode.FORBIDDEN)));
    }
    if (!OrderId.isValid(named)) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    OrderId id = new OrderId(named);
    PaymentService.Requester asker = payment.askerOf(request, id).await();
    return switch (payment.service().cancel(id, asker)) {
      case PaymentOutcome.Done _ -> Reply.redirect(303, "/o/" + id.value());
      case PaymentOutcome.Refused refused -> {
        Refusal refusal = refused.refusal();
        yield receipt(request, Reply.refuse(refusal).status(), text(request, refusal));
      }
    };
  }

  /// Takes an e-mail address for the receipts of the order.
  private Reply mail(Request request) {
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return receipt(request, 403, text(request, Refusal.of(ErrorCode.FORBIDDEN)));
    }
    Order order = find(request).orElse(null);
    if (order == null || !contacts.takesEmail()) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    Visit visit = Visit.of(request, settings, clock.instant());
    Optional<Contact> address =
        FormBody.field(request, "email")
            .filter(text -> text.length() <= LONGEST_ADDRESS)
            .flatMap(text -> Contact.of(Channel.EMAIL, text));
    if (address.isEmpty()) {
      String field = visit.wording().text("receipt.mail.address");
      return receipt(request, 400, Messages.text(visit.language(), "invalid.email", field));
    }
    return contacts.give(order.id(), address.get().value(), visit.language())
        ? receipt(request, 200, "", visit.wording().text("receipt.mail.done"))
        : receipt(request, 429, visit.wording().text("receipt.mail.often"));
  }

  /// Ends the links in messages about the order.
  private Reply endLinks(Request request) {
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return receipt(request, 403, text(request, Refusal.of(ErrorCode.FORBIDDEN)));
    }
    Order order = find(request).orElse(null);
    if (order == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    links.end(order.id());
    Visit visit = Visit.of(request, settings, clock.instant());
    return receipt(request, 200, "", visit.wording().text("receipt.link.done"));
  }

  private Reply list(Request request) {
    Visit visit = Visit.of(request, settings, clock.instant());
    String after = request.query("after");
    if (after != null && !OrderId.isValid(after)) {
      throw new InvalidRequest("after", "bad_format");
    }
    List<String> users = users(request);
    OrderSearch.Query query =
        new OrderSearch.Query(null, null, null, null, users, null, null, null);
    List<LedgerOrder> orders =
        users.isEmpty()
            ? List.of()
            : ledger
                .search()
                .page(
                    query,
                    new OrderSearch.Query.Page(after == null ? null : new OrderId(after), PAGE));
    Set<OrderId> disputed =
        payment.refunds().disputed(orders.stream().map(LedgerOrder::id).toList());
    List<OrderView.Line> lines = new ArrayList<>();
    for (LedgerOrder order : orders) {
      lines.add(new OrderView.Line(order, name(visit, order.id()), disputed.contains(order.id())));
    }
    return view.list(visit, lines, orders.size() == PAGE ? orders.getLast().id().value() : "");
  }

  /// The references under which orders of this account and of guests of this browser stand.
  private List<String> users(Request request) {
    Set<String> users = new LinkedHashSet<>();
    catalog.all().stream()
        .sorted((a, b) -> Long.compare(b.version(), a.version()))
        .limit(MAX_PRODUCTS)
        .map(Product::id)
        .forEach(id -> users.addAll(payment.usersOf(request, id).await()));
    return List.copyOf(users);
  }

  private String name(Visit visit, OrderId id) {
    return catalog
        .find(id.product())
        .map(product -> product.content().name(visit.language(), product.details().name()))
        .orElse("");
  }

  private String text(Request request, Refusal refusal) {
    Visit visit = Visit.of(request, settings, clock.instant());
    String text = Messages.text(visit.language(), "error." + refusal.code().name());
    Duration wait = refusal.retryAfter();
    return wait == null
        ? text
        : visit
            .wording()
            .sentences(text, visit.words().text("error.retry", "time", visit.wording().span(wait)));
  }
}
