package fairgate.sale.payment;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;

/// The HTTP routes of orders and payments.
final class PaymentRoutes {
  private static final Reply NOT_FOUND = Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
  private static final Reply ACCEPTED = Reply.json(200, "{\"success\":true}");

  private final PaymentService service;
  private final WebhookSignature signature;
  private final PaymentMetrics metrics;
  private final BiFunction<Request, OrderId, Future<PaymentService.Requester>> askers;

  /// @param askers who makes a request
  PaymentRoutes(
      PaymentService service,
      WebhookSignature signature,
      PaymentMetrics metrics,
      BiFunction<Request, OrderId, Future<PaymentService.Requester>> askers) {
    this.service = service;
    this.signature = signature;
    this.metrics = metrics;
    this.askers = askers;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/orders/{order_id}", this::order),
        Route.blockingPost("/api/orders/{order_id}/pay", this::pay),
        Route.blockingPost("/api/orders/{order_id}/cancel", this::cancel),
        Route.blockingPost("/api/payments/webhook", this::webhook));
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
    WebhookSignature.Result verdict =
        signature.verify(
            request.header(WebhookSignature.ID),
            request.header(WebhookSignature.TIMESTAMP),
            request.header(WebhookSignature.SIGNATURE),
            request.body());
    metrics.webhook(verdict);
    PaymentService.WebhookOutcome outcome =
        switch (verdict) {
          case GENUINE -> webhook(request.json());
          case STALE, FORGED -> new PaymentService.WebhookOutcome.Unauthorized();
        };
    return switch (outcome) {
      case PaymentService.WebhookOutcome.Accepted() -> ACCEPTED;
      case PaymentService.WebhookOutcome.Unauthorized() ->
          Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED));
      case PaymentService.WebhookOutcome.UnknownOrder() -> NOT_FOUND;
    };
  }

  /// Handles a verified message. Unknown kinds are accepted, or the gateway would repeat them for
  /// days.
  private PaymentService.WebhookOutcome webhook(JsonBody message) {
    String type = message.text("type");
    if (type.equals("payment.failed")) {
      return service.failed(message.object("data").text("order_id"));
    }
    if (!type.equals("payment.paid")) {
      return new PaymentService.WebhookOutcome.Accepted();
    }
    JsonBody data = message.object("data");
    String order = data.text("order_id");
    String payment = data.text("payment_id");
    long amount = data.longInteger("amount", 0, Payment.MOST_MINOR_UNITS);
    String currency = data.text("currency");
    if (!Payment.isValidId(payment)) {
      throw new InvalidRequest("data.payment_id", "bad_format");
    }
    if (!currency.matches(Payment.CURRENCY)) {
      throw new InvalidRequest("data.currency", "bad_format");
    }
    return service.paid(order, new Payment(payment, new Money(amount, currency)));
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
    return JsonText.object()
        .put("success", true)
        .put("order_id", order.id().value())
        .put("order_number", order.id().number().toString())
        .put("product_id", order.id().product().value())
        .put("quantity", order.quantity())
        .put("amount", order.amount().minorUnits())
        .put("currency", order.amount().currency())
        .put("status", order.status().wire())
        .put("created_at", order.createdAt())
        .putAny("pay_by", order.payBy() == 0 ? null : order.payBy())
        .putAny("declined_at", order.declinedAt() == 0 ? null : order.declinedAt())
        .put("payment_url", service.paymentUrl(order))
        .put("remaining_stock", order.remaining())
        .bytes();
  }
}
