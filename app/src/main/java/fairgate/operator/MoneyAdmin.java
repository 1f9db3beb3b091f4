package fairgate.operator;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentOutcome;
import fairgate.sale.payment.PaymentService;
import fairgate.sale.payment.Refund;
import fairgate.sale.payment.RefundDesk;
import fairgate.sale.payment.RefundState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Refunds and cancellations by operators. A repeat of a request changes nothing. The audit log
/// keeps the operator and the reason.
final class MoneyAdmin {
  private static final AdminInput REASON = AdminInput.body("reason");
  private static final int LONGEST_REASON = 500;

  private final PaymentService payments;
  private final RefundDesk refunds;

  MoneyAdmin(PaymentFeature payment) {
    this.payments = payment.service();
    this.refunds = payment.refunds();
  }

  private interface Decision {
    RefundDesk.Outcome make(long id, Refund.Decision decision);
  }

  List<Route> routes(OperatorToken token) {
    return List.of(
        Route.blockingPost(
            "/api/admin/orders/{order_id}/refund", token.guard(REASON, this::refund)),
        Route.blockingPost(
            "/api/admin/orders/{order_id}/cancel", token.guard(REASON, this::cancel)),
        Route.blockingGet(
            "/api/admin/refunds",
            token.guard(AdminInput.query("state", "after", "limit"), this::list)),
        Route.blockingPost(
            "/api/admin/refunds/{id}/retry", token.guard(REASON, decision(refunds::retry))),
        Route.blockingPost(
            "/api/admin/refunds/{id}/done", token.guard(REASON, decision(refunds::doneByHand))),
        Route.blockingPost(
            "/api/admin/refunds/{id}/give-up", token.guard(REASON, decision(refunds::giveUp))));
  }

  private Reply refund(Request request) {
    String id = request.pathParam("order_id");
    String reason = reason(request);
    // The reason stays in the audit log: free text must not leave in messages to outside services.
    return OrderId.isValid(id)
        ? reply(payments.refund(new OrderId(id), "operator"), reason)
        : Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
  }

  private Reply cancel(Request request) {
    String id = request.pathParam("order_id");
    String reason = reason(request);
    return OrderId.isValid(id)
        ? reply(payments.withdraw(new OrderId(id)), reason)
        : Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
  }

  private static Reply reply(PaymentOutcome outcome, @Nullable String reason) {
    return switch (outcome) {
      case PaymentOutcome.Done(Order order) ->
          Reply.json(
              200,
              JsonText.object()
                  .put("success", true)
                  .put("order_id", order.id().value())
                  .put("status", order.status().wire())
                  .put("payment_id", order.payment())
                  .put("reason", reason)
                  .bytes());
      case PaymentOutcome.NotFound() -> Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
      case PaymentOutcome.Conflict(Order order) ->
          Reply.refuse(
              Refusal.of(ErrorCode.ORDER_STATE_CONFLICT).with("status", order.status().wire()));
      case PaymentOutcome.Unanswered(Duration wait) ->
          Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(wait));
      case PaymentOutcome.NotOffered() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
    };
  }

  private Reply list(Request request) {
    RefundState state = AdminQuery.word(request, "state", RefundState.values(), RefundState::word);
    int limit = AdminQuery.limit(request);
    List<Refund> page = refunds.list(state, AdminQuery.after(request), limit);
    JsonText rows = JsonText.array();
    for (Refund refund : page) {
      rows = rows.add(json(refund));
    }
    JsonText body = JsonText.object().put("refunds", rows);
    if (page.size() == limit) {
      body = body.put("after", page.getLast().id());
    }
    return Reply.json(200, body.bytes());
  }

  private static BlockingHandler decision(Decision decision) {
    return request -> {
      Refund.Decision by = new Refund.Decision(OperatorToken.actor(request), reason(request));
      return switch (decision.make(AdminQuery.id(request), by)) {
        case RefundDesk.Outcome.Done(Refund refund) -> Reply.json(200, json(refund).bytes());
        case RefundDesk.Outcome.Conflict(Refund refund) ->
            Reply.refuse(
                Refusal.of(ErrorCode.REFUND_STATE_CONFLICT).with("state", refund.state().word()));
        case RefundDesk.Outcome.NotFound() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      };
    };
  }

  private static @Nullable String reason(Request request) {
    return request.body().length == 0
        ? null
        : request.json().optionalText("reason", 1, LONGEST_REASON);
  }

  private static JsonText json(Refund refund) {
    Refund.Progress progress = refund.progress();
    Refund.Decision decision = refund.decision();
    return JsonText.object()
        .put("id", refund.id())
        .put("order_id", refund.order())
        .put("payment_id", refund.payment().id())
        .put("amount", refund.payment().amount().minorUnits())
        .put("currency", refund.payment().amount().currency())
        .put("state", refund.state().word())
        .put("cause", refund.cause())
        .put("paid_order_id", refund.paidOrder())
        .put("tries", progress.tries())
        .put("answer", progress.answer())
        .put("created_at", progress.createdAt().toEpochMilli())
        .putAny(
            "next_try_at",
            refund.state() == RefundState.DUE ? progress.nextTryAt().toEpochMilli() : null)
        .putAny("done_at", millis(progress.doneAt()))
        .put("decided_by", decision == null ? null : decision.actor())
        .put("decision_reason", decision == null ? null : decision.reason());
  }

  private static @Nullable Long millis(@Nullable Instant at) {
    return at == null ? null : at.toEpochMilli();
  }
}
