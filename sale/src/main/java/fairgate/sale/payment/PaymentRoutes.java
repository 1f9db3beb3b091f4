package fairgate.sale.payment;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.READ;
import static fairgate.platform.http.RouteLimits.WEBHOOK;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/// The HTTP routes of orders and payments.
///
/// @param askers who makes a request
record PaymentRoutes(
    PaymentService service,
    PaymentProvider provider,
    PaymentMetrics metrics,
    BiFunction<Request, OrderId, Future<PaymentService.Requester>> askers) {
  private static final Reply NOT_FOUND = Reply.refuse(ErrorCode.ORDER_NOT_FOUND);
  private static final Reply ACCEPTED = Reply.json(200, "{\"success\":true}");

  /// Stripe's events contain the whole object.
  private static final int LONGEST_MESSAGE = 128 * 1024;

  List<Route> routes() {
    return List.of(
        Route.get("/api/orders/{order_id}", this::order).limits(READ),
        Route.blockingPost("/api/orders/{order_id}/pay", this::pay).limits(ACT),
        Route.blockingPost("/api/orders/{order_id}/cancel", this::cancel).limits(ACT),
        Route.blockingPost("/api/payments/webhook", this::webhook)
            .limits(WEBHOOK)
            .withBodyLimit(LONGEST_MESSAGE));
  }

  private Future<Reply> order(Request request) {
    String id = request.pathParam("order_id");
    if (!OrderId.isValid(id)) {
      return Future.succeededFuture(NOT_FOUND);
    }
    OrderId order = new OrderId(id);
    return askers
        .apply(request, order)
        .compose(asker -> service.find(order, asker))
        .map(found -> found.map(this::shown).orElse(NOT_FOUND));
  }

  private Reply pay(Request request) {
    String id = request.pathParam("order_id");
    PaymentService.SandboxResult result = result(request);
    return OrderId.isValid(id)
        ? reply(service.pay(new OrderId(id), asker(request, id), result))
        : NOT_FOUND;
  }

  private Reply cancel(Request request) {
    String id = request.pathParam("order_id");
    return OrderId.isValid(id)
        ? reply(service.cancel(new OrderId(id), asker(request, id)))
        : NOT_FOUND;
  }

  private PaymentService.Requester asker(Request request, String order) {
    return askers.apply(request, new OrderId(order)).await();
  }

  private Reply webhook(Request request) {
    PaymentNotice notice =
        provider.read(new PaymentNotice.Message(request::header, request.body()));
    metrics.webhook(
        notice instanceof PaymentNotice.Rejected(WebhookSignature.Result verdict)
            ? verdict
            : WebhookSignature.Result.GENUINE);
    PaymentService.WebhookOutcome outcome =
        switch (notice) {
          case PaymentNotice.Paid(String order, Payment payment) -> service.paid(order, payment);
          case PaymentNotice.Unasked(String order, Payment payment) ->
              service.unasked(order, payment);
          case PaymentNotice.Declined(String order) -> service.failed(order);
          case PaymentNotice.Refunded(String order, Payment payment) ->
              service.reversed(order, payment);
          case PaymentNotice.Disputed disputed -> service.disputed(disputed);
          case PaymentNotice.Irrelevant() -> new PaymentService.WebhookOutcome.Accepted();
          case PaymentNotice.Rejected _ -> new PaymentService.WebhookOutcome.Unauthorized();
        };
    return switch (outcome) {
      case PaymentService.WebhookOutcome.Accepted() -> accepted();
      case PaymentService.WebhookOutcome.Unauthorized() -> Reply.refuse(ErrorCode.UNAUTHORIZED);
      case PaymentService.WebhookOutcome.UnknownOrder() -> NOT_FOUND;
    };
  }

  private Reply accepted() {
    String word = provider.acknowledgement();
    return word.isEmpty() ? ACCEPTED : Reply.text(200, word);
  }

  private static PaymentService.SandboxResult result(Request request) {
    String word = request.body().length == 0 ? null : request.json().optionalText("result");
    return switch (word) {
      case null -> PaymentService.SandboxResult.PAID;
      case "paid" -> PaymentService.SandboxResult.PAID;
      case "failed" -> PaymentService.SandboxResult.FAILED;
      case "silent" -> PaymentService.SandboxResult.SILENT;
      default -> throw new InvalidRequest("result", "not_one_of", "paid, failed, silent");
    };
  }

  private Reply reply(PaymentOutcome outcome) {
    return switch (outcome) {
      case PaymentOutcome.Done(Order order) -> shown(order);
      case PaymentOutcome.Refused refused -> Reply.refuse(refused.refusal());
    };
  }

  private Reply shown(Order order) {
    return Reply.json(200, json(order));
  }

  /// Writes an order for its owner; times in milliseconds since the epoch.
  byte[] json(Order order) {
    JsonText json = JsonText.object();
    Order.DepositPart deposit = order.deposit();
    if (deposit != null) {
      json.put("deposit", deposit.amount()).put("deposit_id", deposit.id().value());
    }
    return json.put("success", true)
        .put("order_id", order.id().value())
        .put("order_number", order.id().number().toString())
        .put("product_id", order.id().product().value())
        .put("quantity", order.quantity())
        .put("amount", order.amount().minorUnits())
        .put("currency", order.amount().currency())
        .put("currency_exponent", order.amount().exponent())
        .put("status", order.status().wire())
        .put("created_at", order.createdAt())
        .putAny("pay_by", order.payBy() == 0 ? null : order.payBy())
        .put("deadline_stopped", order.isStopped())
        .putAny("declined_at", order.declinedAt() == 0 ? null : order.declinedAt())
        .put("payment_url", service.paymentUrl(order))
        .put("details_url", service.askedAfterwards(order))
        .put("remaining_stock", order.remaining())
        .bytes();
  }
}
