package fairgate.ticket;

import static fairgate.kernel.Role.CHECKIN;
import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.ticket.CheckInService.CheckIn;
import fairgate.ticket.TicketService.TicketCounts;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The tickets of orders, and the check-in at the entrance of an event. Every method blocks.
final class TicketAdmin {
  private static final String SCAN = "[A-Za-z0-9_-]{8,64}";
  private static final int MAX_LIMIT = 2_000;

  /// A change that is committed late has an earlier time than its readers: they get it again.
  private static final long OVERLAP_MS = 60_000;

  private final TicketService tickets;
  private final CheckInService checkIns;
  private final Clock clock;

  TicketAdmin(TicketService tickets, CheckInService checkIns, Clock clock) {
    this.tickets = tickets;
    this.checkIns = checkIns;
    this.clock = clock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/orders/{order_id}/tickets", admin.guard(this::ofOrder))
            .roles(SUPPORT),
        Route.blockingGet(
                "/api/admin/products/{id}/tickets",
                admin.guard(AdminInput.query("since", "after", "limit"), this::blocked))
            .roles(CHECKIN, SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/products/{id}/check-ins",
                admin.guard(AdminInput.body("ticket", "scan", "at"), this::checkIn))
            .roles(CHECKIN, SUPPORT, SELLER));
  }

  private Optional<ProductId> product(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .filter(tickets::isOffered);
  }

  /// The tickets of an order, for a buyer who cannot open the page. The reading is recorded: who
  /// knows the codes can enter with them.
  private Reply ofOrder(Request request) {
    String id = request.pathParam("order_id");
    if (!OrderId.isValid(id)) {
      return Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
    }
    JsonText all = JsonText.array();
    tickets.of(new OrderId(id)).forEach(ticket -> all.add(json(ticket)));
    return Reply.json(200, JsonText.object().put("order_id", id).put("tickets", all).bytes())
        .header("cache-control", "no-store");
  }

  /// The figures of a sale, and the tickets that devices must refuse without the server.
  private Reply blocked(Request request) {
    long since = AdminQuery.number(request, "since", 0, 1L << 53, 0);
    int limit = (int) AdminQuery.number(request, "limit", 1, MAX_LIMIT, MAX_LIMIT);
    String after = request.query("after");
    if (after != null && TicketId.parse(after).isEmpty()) {
      throw new InvalidRequest("after", "bad_format");
    }
    ProductId product = product(request).orElse(null);
    if (product == null) {
      return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
    }
    TicketCounts counts = tickets.counts(product);
    List<Ticket> found =
        tickets.blocked(
            product,
            Instant.ofEpochMilli(since),
            after == null ? "" : TicketId.parse(after).orElseThrow().value(),
            limit);
    JsonText all = JsonText.array();
    for (Ticket ticket : found) {
      all.add(atEntrance(ticket));
    }
    JsonText json =
        JsonText.object()
            .put("valid", counts.valid())
            .put("used", counts.used())
            .put("next_since", counts.at().toEpochMilli() - OVERLAP_MS)
            .put("tickets", all);
    if (found.size() == limit) {
      Ticket last = found.getLast();
      json.put("after", Objects.requireNonNullElse(last.formerId(), last.id()).value());
    }
    return Reply.json(200, json.bytes()).header("cache-control", "no-store");
  }

  private Reply checkIn(Request request) {
    JsonBody body = request.json();
    String text = body.text("ticket", 1, CheckInService.MAX_LENGTH);
    String scan = body.text("scan");
    if (!scan.matches(SCAN)) {
      throw body.problem("scan", "bad_format");
    }
    long at = body.optionalLongInteger("at", 0, 1L << 53, clock.millis());
    ProductId product = product(request).orElse(null);
    if (product == null) {
      return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
    }
    Ticket.Use use = new Ticket.Use(Instant.ofEpochMilli(at), AdminGuard.actor(request), scan);
    return Reply.json(200, json(checkIns.checkIn(product, text.strip(), use)).bytes())
        .header("cache-control", "no-store");
  }

  private static JsonText json(CheckIn result) {
    return switch (result) {
      case CheckIn.Admitted(Ticket ticket, String holder) ->
          result("admitted").put("ticket", atEntrance(ticket)).put("holder", holder);
      case CheckIn.Used(Ticket ticket, _, _) -> result("used").put("ticket", atEntrance(ticket));
      case CheckIn.Refunded(Ticket ticket) -> result("void").put("ticket", atEntrance(ticket));
      case CheckIn.Replaced(Ticket ticket) -> result("replaced").put("ticket", atEntrance(ticket));
      case CheckIn.OtherSale() -> result("other_sale");
      case CheckIn.Unknown() -> result("unknown");
      case CheckIn.Forged() -> result("forged");
    };
  }

  private static JsonText result(String word) {
    return JsonText.object().put("result", word);
  }

  /// A ticket as devices at entrances may know it: without the id of a ticket that still admits its
  /// new holder.
  private static JsonText atEntrance(Ticket ticket) {
    boolean admits = ticket.formerId() != null && ticket.use() == null && ticket.isPaid();
    return json(ticket, admits ? null : ticket.id());
  }

  private static JsonText json(Ticket ticket) {
    return json(ticket, ticket.id());
  }

  private static JsonText json(Ticket ticket, @Nullable TicketId id) {
    Ticket.Use use = ticket.use();
    TicketId former = ticket.formerId();
    return JsonText.object()
        .put("ticket_id", id == null ? null : id.value())
        .put("former_id", former == null ? null : former.value())
        .put("order_number", ticket.order().number().toString())
        .put("place", ticket.place())
        .put("valid", ticket.isPaid())
        .putAny("used_at", use == null ? null : use.at().toEpochMilli())
        .put("used_by", use == null ? null : use.by());
  }
}
