package fairgate.sale.deposit;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.sale.payment.MoneyAdmin;
import fairgate.sale.payment.Refund;
import fairgate.sale.payment.RefundDesk;
import java.util.List;
import java.util.Map;

/// Deposits for operators. Every method blocks.
final class DepositAdmin {
  private static final String ID = "deposit_id";
  private static final String PAYMENT = "payment_id";

  private final DepositService deposits;
  private final RefundDesk refunds;

  DepositAdmin(DepositService deposits, RefundDesk refunds) {
    this.deposits = deposits;
    this.refunds = refunds;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/deposits", admin.guard(AdminInput.query(ID, PAYMENT), this::find))
            .roles(SUPPORT, SELLER),
        Route.blockingGet("/api/admin/products/{id}/deposits", admin.guard(this::sums))
            .roles(SUPPORT, SELLER));
  }

  /// The deposit with an id, or those of a payment.
  private Reply find(Request request) {
    String id = request.query(ID);
    String payment = AdminQuery.text(request, PAYMENT);
    if (id != null && payment != null) {
      throw new InvalidRequest(ID, "not_together", PAYMENT);
    }
    if (id != null && !OrderId.isDeposit(id)) {
      throw new InvalidRequest(ID, "bad_format");
    }
    List<Deposit> found;
    if (id != null) {
      found = deposits.find(new OrderId(id)).stream().toList();
    } else if (payment != null) {
      found = deposits.ofPayment(payment);
    } else {
      throw new InvalidRequest(ID, "missing_one", PAYMENT);
    }
    JsonText rows = JsonText.array();
    for (Deposit deposit : found) {
      rows = rows.add(json(deposit));
    }
    return Reply.json(200, JsonText.object().put("deposits", rows).bytes());
  }

  private JsonText json(Deposit deposit) {
    JsonText back = JsonText.array();
    for (Refund refund : refunds.of(deposit.id())) {
      back = back.add(MoneyAdmin.json(refund));
    }
    return JsonText.object()
        .put("deposit_id", deposit.id().value())
        .put("product_id", deposit.id().product().value())
        .put("amount", deposit.amount().minorUnits())
        .put("currency", deposit.amount().currency())
        .put("currency_exponent", deposit.amount().exponent())
        .put("status", deposit.state().word())
        .put("passed", deposit.passed().word())
        .put("created_at", deposit.createdAt().toEpochMilli())
        .put("pay_by", deposit.payBy().toEpochMilli())
        .putAny("paid_at", MoneyAdmin.millis(deposit.paidAt()))
        .put("payment_id", deposit.payment())
        .put("session_id", deposits.placeOf(deposit).map(SessionId::value).orElse(null))
        .put("order_id", deposit.order())
        .put("refunds", back);
  }

  /// The deposits of a sale by state, and how many of those that go back are back.
  private Reply sums(Request request) {
    String id = request.pathParam("id");
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("id", "not_digits", 1, 19);
    }
    Map<Deposit.State, DepositService.Sum> sums = deposits.sums(new ProductId(id));
    JsonText json = JsonText.object().put("product_id", id);
    for (Deposit.State state : Deposit.State.values()) {
      DepositService.Sum sum = sums.getOrDefault(state, DepositService.Sum.NONE);
      JsonText one = JsonText.object().put("count", sum.count()).put("amount", sum.amount());
      if (state == Deposit.State.RETURNED) {
        one.put("refunded", sum.refunded()).put("amount_refunded", sum.amountRefunded());
      }
      json.put(state.word(), one);
    }
    return Reply.json(200, json.bytes());
  }
}
