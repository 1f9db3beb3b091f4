package fairgate.sale.payment;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.catalog.BuyerField;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.sale.BuyerDetails;
import fairgate.sale.BuyerDetails.OrderDetails;
import fairgate.sale.DetailsInput;
import fairgate.sale.ledger.OrderStatus;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;

/// The HTTP routes of what a product asks the buyer of an order for.
record DetailsRoutes(
    PaymentService service,
    BuyerDetails details,
    BiFunction<Request, OrderId, Future<PaymentService.Requester>> askers) {
  List<Route> routes() {
    String path = "/api/orders/{order_id}/details";
    return List.of(
        Route.blockingGet(path, this::shown).limits(READ),
        Route.blockingPut(path, this::replace).limits(ACT));
  }

  private Optional<Order> find(Request request) {
    String id = request.pathParam("order_id");
    if (!OrderId.isValid(id)) {
      return Optional.empty();
    }
    OrderId order = new OrderId(id);
    return service.find(order, askers.apply(request, order).await()).await();
  }

  private Reply shown(Request request) {
    return find(request)
        .map(order -> reply(order, request.language()))
        .orElseGet(() -> Reply.refuse(ErrorCode.ORDER_NOT_FOUND));
  }

  private Reply replace(Request request) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return Reply.refuse(ErrorCode.ORDER_NOT_FOUND);
    }
    List<BuyerField> fields = details.asked(order.id().product());
    JsonBody body = request.json();
    for (String name : body.names()) {
      if (fields.stream().noneMatch(field -> field.key().equals(name))) {
        throw new InvalidRequest(name, "unknown_field");
      }
    }
    DetailsInput input = DetailsInput.read(fields, body::optionalText);
    if (!input.problems().isEmpty()) {
      throw input.problems().getFirst().refusal();
    }
    return service.keep(order, input)
        ? reply(order, request.language())
        : Reply.refuse(new PaymentOutcome.Conflict(order).refusal());
  }

  private Reply reply(Order order, Language language) {
    List<BuyerField> asked = details.asked(order.id().product());
    JsonText fields = JsonText.array();
    for (BuyerField field : asked) {
      fields = fields.add(json(field, language));
    }
    Optional<OrderDetails> given = details.find(order.id());
    return Reply.json(
            200,
            JsonText.object()
                .put("success", true)
                .put("order_id", order.id().value())
                .put("given", given.isPresent())
                .put("fields", fields)
                .put("values", values(given.map(OrderDetails::values).orElse(Map.of())))
                .putAny(
                    "payment_url",
                    order.status() == OrderStatus.PENDING ? service.providerUrl(order) : null))
        .header("cache-control", "no-store");
  }

  private static JsonText json(BuyerField field, Language language) {
    return JsonText.object()
        .put("key", field.key())
        .put("kind", field.kind().word())
        .put("label", field.label(language))
        .put("required", field.required())
        .put("max_length", field.kind().maxLength());
  }

  private static JsonText values(Map<String, String> values) {
    JsonText json = JsonText.object();
    new TreeMap<>(values).forEach(json::put);
    return json;
  }
}
