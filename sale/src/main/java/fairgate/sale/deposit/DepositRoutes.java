package fairgate.sale.deposit;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.JOIN;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.sale.payment.Order;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Serves `/api/deposits`.
///
/// @param users the names of a request's sender in a sale
/// @param payUrl the payment page of a deposit
record DepositRoutes(
    DepositService service,
    BiFunction<Request, ProductId, Future<List<String>>> users,
    Function<Order, @Nullable String> payUrl) {
  List<Route> routes() {
    return List.of(
        Route.blockingPost("/api/deposits", this::open).limits(ACT),
        Route.blockingGet("/api/deposits/{deposit_id}", this::find).limits(READ),
        Route.blockingDelete("/api/deposits/{deposit_id}", this::giveBack).limits(JOIN));
  }

  private Reply open(Request request) {
    String product = request.json().text("product_id");
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    return reply(service.open(request, new ProductId(product)));
  }

  private Reply reply(DepositService.Outcome outcome) {
    return switch (outcome) {
      case DepositService.Outcome.Open(Deposit deposit) -> shown(deposit);
      case DepositService.Outcome.Refused(Refusal refusal) -> Reply.refuse(refusal);
    };
  }

  private Reply giveBack(Request request) {
    return Optional.of(request.pathParam("deposit_id"))
        .filter(OrderId::isDeposit)
        .map(OrderId::new)
        .map(id -> service.giveBack(id, users.apply(request, id.product()).await()))
        .map(this::reply)
        .orElseGet(() -> Reply.refuse(ErrorCode.DEPOSIT_NOT_FOUND));
  }

  private Reply find(Request request) {
    return Optional.of(request.pathParam("deposit_id"))
        .filter(OrderId::isDeposit)
        .map(OrderId::new)
        .flatMap(id -> service.find(id, users.apply(request, id.product()).await()))
        .map(this::shown)
        .orElseGet(() -> Reply.refuse(ErrorCode.DEPOSIT_NOT_FOUND));
  }

  private Reply shown(Deposit deposit) {
    return Reply.json(200, json(deposit));
  }

  /// Writes a deposit for its owner; times in milliseconds since the epoch.
  JsonText json(Deposit deposit) {
    return JsonText.object()
        .put("success", true)
        .put("deposit_id", deposit.id().value())
        .put("product_id", deposit.id().product().value())
        .put("amount", deposit.amount().minorUnits())
        .put("currency", deposit.amount().currency())
        .put("currency_exponent", deposit.amount().exponent())
        .put("status", deposit.state().word())
        .put("passed", deposit.passed().word())
        .put("created_at", deposit.createdAt().toEpochMilli())
        .put("pay_by", deposit.payBy().toEpochMilli())
        .put("payment_url", payUrl.apply(deposit.asOrder()))
        .put("order_id", deposit.order());
  }
}
