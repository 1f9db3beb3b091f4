package fairgate.operator;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import fairgate.operator.OrderFilter.BuyerReferences;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.SpreadsheetCsv;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.deposit.DepositService;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.OrderFile;
import fairgate.sale.ledger.OrderSearch;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.MoneyAdmin;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentNotice.Dispute;
import fairgate.sale.payment.PaymentTry;
import fairgate.sale.payment.Refund;
import fairgate.sale.receipt.Receipts;
import fairgate.sale.webhook.OrderMessages;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Orders for operators: search, export, one order with all that is known of it, notes, and
/// repeated messages. Every method blocks. The ledger has an order moments after its purchase.
final class OrderAdmin {
  private static final Duration LONGEST_EXPORT = Duration.ofHours(1);
  private static final int LONGEST_NOTE = 2_000;
  private static final int LONGEST_TELEPHONE = 40;
  private static final int AUDIT_EVENTS = 200;

  private final Ledger ledger;
  private final PaymentFeature payment;
  private final DepositService deposits;
  private final OrderMessages messages;
  private final Receipts receipts;
  private final BuyerReferences buyers;
  private final OrderFilter filter;
  private final AuditLog audit;
  private final ExportLock lock;

  /// The messages about orders: to a receiver of the shop, and to buyers.
  record Messages(OrderMessages webhooks, Receipts receipts) {}

  OrderAdmin(
      Ledger ledger,
      PaymentFeature payment,
      DepositService deposits,
      Messages messages,
      BuyerReferences buyers,
      AuditLog audit,
      ExportLock lock) {
    this.ledger = ledger;
    this.payment = payment;
    this.deposits = deposits;
    this.messages = messages.webhooks();
    this.receipts = messages.receipts();
    this.buyers = buyers;
    this.filter = new OrderFilter(buyers);
    this.audit = audit;
    this.lock = lock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/orders", admin.guard(OrderFilter.LIST, this::list))
            .roles(SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/orders/search",
                admin.guard(AdminInput.body("telephone", "after", "limit"), this::search))
            .roles(SUPPORT),
        Route.blockingGet("/api/admin/orders.csv", admin.guard(OrderFilter.EXPORT, this::export))
            .roles(SUPPORT, SELLER)
            .withDeadline(LONGEST_EXPORT),
        Route.blockingGet("/api/admin/orders/{order_id}", admin.guard(this::one))
            .roles(SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/orders/{order_id}/notes",
                admin.guard(AdminInput.body("note"), this::note))
            .roles(SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/orders/{order_id}/resend",
                admin.guard(AdminInput.body("reason"), this::resend))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/orders/{order_id}/receipt",
                admin.guard(AdminInput.body("reason"), this::sendReceipt))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/orders/{order_id}/end-links",
                admin.guard(AdminInput.body("reason"), this::endLinks))
            .roles(SUPPORT));
  }

  private Reply list(Request request) {
    return page(filter.of(request), OrderFilter.page(request));
  }

  /// Searches by telephone. It is in the body, because addresses are logged.
  private Reply search(Request request) {
    List<String> users = buyers.ofTelephone(request.json().text("telephone", 1, LONGEST_TELEPHONE));
    String after = request.json().optionalText("after");
    if (after != null && !OrderId.isValid(after)) {
      throw request.json().problem("after", "bad_format");
    }
    int limit =
        request.json().optionalInteger("limit", 1, AdminQuery.MAX_LIMIT, AdminQuery.DEFAULT_LIMIT);
    return page(
        new OrderSearch.Query(null, null, null, null, users, null, null, null),
        new OrderSearch.Query.Page(after == null ? null : new OrderId(after), limit));
  }

  private Reply page(OrderSearch.Query query, OrderSearch.Query.Page page) {
    List<LedgerOrder> orders = ledger.search().page(query, page);
    JsonText rows = JsonText.array();
    for (LedgerOrder order : orders) {
      rows = rows.add(OrderJson.order(order));
    }
    JsonText body = JsonText.object().put("orders", rows);
    if (orders.size() == page.size()) {
      body = body.put("after", orders.getLast().id().value());
    }
    return Reply.json(200, body.bytes());
  }

  private Reply export(Request request) {
    OrderSearch.Query query = filter.of(request);
    return lock.file(request, "orders.csv", out -> write(query, out));
  }

  private void write(OrderSearch.Query query, OutputStream out) throws IOException {
    SpreadsheetCsv csv = new SpreadsheetCsv(out);
    csv.write(OrderJson.COLUMNS);
    ledger
        .search()
        .forEachChunk(query, chunk -> chunk.forEach(order -> csv.write(OrderJson.row(order))));
    csv.flush();
  }

  private Reply one(Request request) {
    return find(request.pathParam("order_id"))
        .map(this::shown)
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND)));
  }

  /// The order with this id or number. Numbers are unique among orders made by this version or a
  /// later one. If an older order has the same number as another one, only the id finds it.
  private Optional<LedgerOrder> find(String named) {
    if (OrderId.isValid(named)) {
      return ledger.file().find(new OrderId(named));
    }
    return OrderNumber.parse(named)
        .map(
            number ->
                ledger
                    .search()
                    .page(OrderSearch.Query.of(number), new OrderSearch.Query.Page(null, 2)))
        .filter(found -> found.size() == 1)
        .map(List::getFirst);
  }

  private Reply shown(LedgerOrder order) {
    List<OrderFile.Event> events = ledger.file().events(order.id());
    JsonText history = JsonText.array();
    for (OrderFile.Event event : events) {
      history = history.add(OrderJson.event(event));
    }
    JsonText sent = JsonText.array();
    for (OrderMessages.Sent message : messages.of(messageIds(order.id(), events))) {
      sent = sent.add(message.json());
    }
    JsonText tries = JsonText.array();
    for (PaymentTry attempt : payment.tries(order.id())) {
      tries = tries.add(OrderJson.attempt(attempt));
    }
    JsonText log = JsonText.array();
    for (AuditLog.Entry entry :
        audit.ofOrder(order.id(), order.standing().createdAt(), AUDIT_EVENTS)) {
      log = log.add(entry.json());
    }
    return Reply.json(
        200,
        money(JsonText.object().put("order", OrderJson.order(order)), order)
            .put("buyer_details", givenDetails(order.id()))
            .put("payment_attempts", tries)
            .put("events", history)
            .put("notes", notes(order.id()))
            .put("messages", sent)
            .put("receipts", receipts(order.id()))
            .put("audit", log)
            .bytes());
  }

  /// Whether the buyer gave what the product asks for: `given`, `missing`, or `none` when it asks
  /// for nothing.
  private String givenDetails(OrderId order) {
    if (payment.details().find(order).isPresent()) {
      return "given";
    }
    return payment.details().asks(order.product()) ? "missing" : "none";
  }

  /// The deposit of the order, the refunds of both, and how much of its payment went back or may
  /// still go back.
  private JsonText money(JsonText json, LedgerOrder order) {
    String paidWith = order.standing().paid().payment();
    long returned = 0;
    long requested = 0;
    boolean rest = false;
    JsonText list = JsonText.array();
    Deposit deposit = deposits.ofOrder(order.id()).orElse(null);
    List<Refund> refunds = new ArrayList<>(payment.refunds().of(order.id()));
    if (deposit != null) {
      json = json.put("deposit", OrderJson.deposit(deposit));
      refunds.addAll(payment.refunds().of(deposit.id()));
    }
    for (Refund refund : refunds) {
      list = list.add(MoneyAdmin.json(refund));
      if (refund.payment().id().equals(paidWith)) {
        long amount = refund.payment().amount().minorUnits();
        requested += amount;
        rest |= refund.part().isEmpty();
        returned += MoneyAdmin.isDone(refund) ? amount : 0;
      }
    }
    boolean isPaid = order.standing().status() == OrderStatus.PAID;
    long refundable =
        paidWith == null || rest || !isPaid ? 0 : order.amount().minorUnits() - requested;
    JsonText disputes = JsonText.array();
    for (Dispute dispute : payment.refunds().disputesOf(order.id())) {
      disputes = disputes.add(MoneyAdmin.json(dispute));
    }
    return json.put("refunds", list)
        .put("disputes", disputes)
        .put("refunded_amount", returned)
        .put("refundable_amount", refundable);
  }

  private static List<String> messageIds(OrderId order, List<OrderFile.Event> events) {
    return events.stream()
        .map(event -> OrderMessages.id(order.product(), event.epoch(), event.seq()))
        .toList();
  }

  private Reply note(Request request) {
    String text = request.json().text("note", 1, LONGEST_NOTE);
    if (text.isBlank()) {
      throw request.json().problem("note", "bad_length", 1, LONGEST_NOTE);
    }
    return act(
        request,
        order -> {
          ledger.file().addNote(order.id(), AdminGuard.actor(request), text);
          return JsonText.object()
              .put("success", true)
              .put("order_id", order.id().value())
              .put("notes", notes(order.id()));
        });
  }

  /// Sends the newest message of the order again.
  private Reply resend(Request request) {
    String reason = AdminInput.reason(request.json(), AdminInput.LONGEST_REASON);
    return act(
        request,
        order -> {
          List<String> ids = messageIds(order.id(), ledger.file().events(order.id()));
          return JsonText.object()
              .put("success", true)
              .put("order_id", order.id().value())
              .put("message_id", messages.resend(ids).orElse(null))
              .put("reason", reason);
        });
  }

  /// Sends the newest receipt of the order to its buyer again.
  private Reply sendReceipt(Request request) {
    String reason = AdminInput.reason(request.json(), AdminInput.LONGEST_REASON);
    return act(
        request,
        order -> {
          boolean due = receipts.resend(order.id());
          return JsonText.object()
              .put("success", true)
              .put("order_id", order.id().value())
              .put("will_send", due)
              .put("receipts", receipts(order.id()))
              .put("reason", reason);
        });
  }

  /// Ends the links to the order in messages that were sent so far.
  private Reply endLinks(Request request) {
    String reason = AdminInput.reason(request.json(), AdminInput.LONGEST_REASON);
    return act(
        request,
        order -> {
          receipts.endLinks(order.id());
          return JsonText.object()
              .put("success", true)
              .put("order_id", order.id().value())
              .put("reason", reason);
        });
  }

  private JsonText receipts(OrderId order) {
    JsonText list = JsonText.array();
    for (Receipts.Status each : receipts.of(order)) {
      list = list.add(OrderJson.receipt(each));
    }
    return list;
  }

  /// Acts on an order by its id only, by which the audit log finds the act.
  private Reply act(Request request, Function<LedgerOrder, JsonText> act) {
    String named = request.pathParam("order_id");
    return Optional.of(named)
        .filter(OrderId::isValid)
        .flatMap(this::find)
        .map(order -> Reply.json(200, act.apply(order).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND)));
  }

  private JsonText notes(OrderId order) {
    JsonText notes = JsonText.array();
    for (OrderFile.Note note : ledger.file().notes(order)) {
      notes = notes.add(OrderJson.note(note));
    }
    return notes;
  }
}
