package fairgate.sale.payment;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.PaymentNotice.Dispute;
import fairgate.sale.payment.PaymentOutcome.PartialRefundOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// Refunds, cancellations and more time to pay, by operators. A repeat of a request changes
/// nothing. The audit log keeps the operator and the reason.
public final class MoneyAdmin {
  private static final AdminInput REASON = AdminInput.body("reason");
  private static final AdminInput EXTENSION = AdminInput.body("minutes", "reason");
  private static final int MOST_MINUTES = 24 * 60;
  private static final int LONGEST_REASON = 500;
  private static final int LONGEST_KEY = 255;
  private static final long MOST_MINOR_UNITS = 1L << 53;

  /// In messages to outside services, instead of the operator's reason, which the audit log keeps.
  private static final String CAUSE = "operator";

  private final PaymentService payments;
  private final RefundDesk refunds;

  MoneyAdmin(PaymentService payments, RefundDesk refunds) {
    this.payments = payments;
    this.refunds = refunds;
  }

  private interface Decision {
    RefundDesk.Outcome make(long id, Refund.Decision decision);
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingPost(
                "/api/admin/orders/{order_id}/refund",
                admin.guard(AdminInput.body("reason", "amount"), this::refund))
            .roles(SUPPORT)
            .withReason(true),
        Route.blockingPost("/api/admin/orders/{order_id}/cancel", admin.guard(REASON, this::cancel))
            .roles(SUPPORT)
            .withReason(true),
        Route.blockingPost(
                "/api/admin/orders/{order_id}/extend", admin.guard(EXTENSION, this::extend))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/products/{id}/extend-payments", admin.guard(EXTENSION, this::extendAll))
            .roles(SUPPORT),
        Route.blockingGet(
                "/api/admin/refunds",
                admin.guard(AdminInput.query("state", "after", "limit"), this::list))
            .roles(SUPPORT, SELLER),
        Route.blockingGet(
                "/api/admin/disputes",
                admin.guard(AdminInput.query("state", "after", "limit"), this::disputes))
            .roles(SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/refunds/{id}/retry",
                admin.guard(REASON, decision(refunds::retry, false)))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/refunds/{id}/done",
                admin.guard(REASON, decision(refunds::doneByHand, true)))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/refunds/{id}/give-up",
                admin.guard(REASON, decision(refunds::giveUp, true)))
            .roles(SUPPORT)
            .withReason(true));
  }

  /// Refunds a part if the request names an amount, else all that was not refunded before.
  private Reply refund(Request request) {
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    boolean part = request.json().has("amount");
    long amount = part ? request.json().longInteger("amount", 1, MOST_MINOR_UNITS) : 0;
    String key = part ? idempotencyKey(request) : "";
    String named = request.pathParam("order_id");
    if (!OrderId.isValid(named)) {
      return Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
    }
    OrderId id = new OrderId(named);
    return part
        ? reply(payments.refundPart(id, key, amount, CAUSE), reason)
        : reply(payments.refund(id, CAUSE), reason);
  }

  private Reply cancel(Request request) {
    String id = request.pathParam("order_id");
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    return OrderId.isValid(id)
        ? reply(payments.withdraw(new OrderId(id)), reason)
        : Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
  }

  /// Gives the buyer of a pending order more time to pay.
  private Reply extend(Request request) {
    String id = request.pathParam("order_id");
    Duration time = minutes(request);
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    return OrderId.isValid(id)
        ? reply(payments.extend(new OrderId(id), time, CAUSE), reason)
        : Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND));
  }

  /// As `extend`, for all pending orders of a sale.
  private Reply extendAll(Request request) {
    String id = request.pathParam("id");
    Duration time = minutes(request);
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    OptionalInt extended =
        ProductId.isValid(id)
            ? payments.extendAll(new ProductId(id), time, CAUSE)
            : OptionalInt.empty();
    if (extended.isEmpty()) {
      return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
    }
    return Reply.json(
        200,
        JsonText.object()
            .put("success", true)
            .put("product_id", id)
            .put("extended", extended.getAsInt())
            .put("reason", reason)
            .bytes());
  }

  private static Duration minutes(Request request) {
    return Duration.ofMinutes(request.json().longInteger("minutes", 1, MOST_MINUTES));
  }

  /// Two refunds of the same amount may be meant, so only the key tells a repeat.
  private static String idempotencyKey(Request request) {
    String key = request.header("idempotency-key");
    if (key == null) {
      throw new InvalidRequest("Idempotency-Key", "missing");
    }
    boolean printable = key.chars().allMatch(c -> c > ' ' && c < 127);
    if (key.isEmpty() || key.length() > LONGEST_KEY || !printable) {
      throw new InvalidRequest("Idempotency-Key", "idempotency_key");
    }
    return key;
  }

  private static Reply reply(PartialRefundOutcome outcome, String reason) {
    return switch (outcome) {
      case PartialRefundOutcome.Requested(Order order, long refundable) ->
          Reply.json(200, json(order, reason).put("refundable_amount", refundable).bytes());
      case PartialRefundOutcome.TooLarge(long refundable) ->
          Reply.refuse(
              Refusal.of(ErrorCode.REFUND_TOO_LARGE).with("refundable_amount", refundable));
      case PartialRefundOutcome.OtherAmount() ->
          Reply.refuse(Refusal.of(ErrorCode.IDEMPOTENCY_CONFLICT));
      case PartialRefundOutcome.Refused(PaymentOutcome.Refused refused) ->
          Reply.refuse(refused.refusal());
    };
  }

  private static Reply reply(PaymentOutcome outcome, String reason) {
    return switch (outcome) {
      case PaymentOutcome.Done(Order order) -> Reply.json(200, json(order, reason).bytes());
      case PaymentOutcome.Refused refused -> Reply.refuse(refused.refusal());
    };
  }

  private static JsonText json(Order order, String reason) {
    return JsonText.object()
        .put("success", true)
        .put("order_id", order.id().value())
        .put("order_number", order.id().number().toString())
        .put("status", order.status().wire())
        .put("payment_id", order.payment())
        .putAny("pay_by", order.status() == OrderStatus.PENDING ? order.payBy() : null)
        .put("reason", reason);
  }

  private Reply list(Request request) {
    Refund.State state =
        AdminQuery.word(request, "state", Refund.State.values(), Refund.State::word);
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

  private Reply disputes(Request request) {
    Dispute.State state =
        AdminQuery.word(request, "state", Dispute.State.values(), Dispute.State::word);
    int limit = AdminQuery.limit(request);
    List<Dispute> page = refunds.disputes(state, AdminQuery.after(request), limit);
    JsonText rows = JsonText.array();
    for (Dispute dispute : page) {
      rows = rows.add(json(dispute));
    }
    JsonText body = JsonText.object().put("disputes", rows);
    if (page.size() == limit) {
      body = body.put("after", page.getLast().number());
    }
    return Reply.json(200, body.bytes());
  }

  public static JsonText json(Dispute dispute) {
    return JsonText.object()
        .put("id", dispute.number())
        .put("dispute_id", dispute.name())
        .put("order_id", dispute.order().value())
        .put("payment_id", dispute.payment().id())
        .put("amount", dispute.payment().amount().minorUnits())
        .put("currency", dispute.payment().amount().currency())
        .put("currency_exponent", dispute.payment().amount().exponent())
        .put("state", dispute.state().word())
        .put("reason", dispute.reason())
        .put("opened_at", dispute.openedAt().toEpochMilli())
        .putAny("closed_at", millis(dispute.closedAt()));
  }

  private static Handler.Blocking decision(Decision decision, boolean needsReason) {
    return request -> {
      String reason =
          needsReason ? AdminInput.reason(request.json(), LONGEST_REASON) : reason(request);
      Refund.Decision by = new Refund.Decision(AdminGuard.actor(request), reason);
      return switch (decision.make(AdminQuery.id(request), by)) {
        case RefundDesk.Outcome.Done(Refund refund) -> Reply.json(200, json(refund).bytes());
        case RefundDesk.Outcome.Conflict(Refund refund) ->
            Reply.refuse(
                Refusal.of(ErrorCode.REFUND_STATE_CONFLICT).with("state", refund.state().word()));
        case RefundDesk.Outcome.NotFound() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
      };
    };
  }

  public static boolean isDone(Refund refund) {
    return refund.state() == Refund.State.DONE;
  }

  private static @Nullable String reason(Request request) {
    return request.body().length == 0
        ? null
        : request.json().optionalText("reason", 1, LONGEST_REASON);
  }

  public static JsonText json(Refund refund) {
    Refund.Progress progress = refund.progress();
    Refund.Decision decision = refund.decision();
    return JsonText.object()
        .put("id", refund.id())
        .put("order_id", refund.order())
        .put("payment_id", refund.payment().id())
        .put("amount", refund.payment().amount().minorUnits())
        .put("currency", refund.payment().amount().currency())
        .put("currency_exponent", refund.payment().amount().exponent())
        .put("part", refund.part().isEmpty() ? null : refund.part())
        .put("state", refund.state().word())
        .put("cause", refund.cause())
        .put("paid_order_id", refund.paidOrder())
        .put("tries", progress.tries())
        .put("answer", progress.answer())
        .put("created_at", progress.createdAt().toEpochMilli())
        .putAny(
            "next_try_at",
            refund.state() == Refund.State.DUE ? progress.nextTryAt().toEpochMilli() : null)
        .putAny("done_at", millis(progress.doneAt()))
        .put("decided_by", decision == null ? null : decision.actor())
        .put("decision_reason", decision == null ? null : decision.reason());
  }

  public static @Nullable Long millis(@Nullable Instant at) {
    return at == null ? null : at.toEpochMilli();
  }
}
