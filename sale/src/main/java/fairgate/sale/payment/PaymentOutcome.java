package fairgate.sale.payment;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.platform.http.Refusal;
import fairgate.sale.ledger.OrderStatus;
import java.time.Duration;
import java.util.Map;

/// The outcome of a buyer's action on an order.
public sealed interface PaymentOutcome {
  /// Done, now or before, with the order's new state.
  record Done(Order order) implements PaymentOutcome {}

  /// Nothing changed.
  sealed interface Refused extends PaymentOutcome {
    /// The refusal to send, the same for the API and the pages.
    default Refusal refusal() {
      return switch (this) {
        case NotFound() -> Refusal.of(ErrorCode.ORDER_NOT_FOUND);
        case Conflict(Order order) ->
            Refusal.of(ErrorCode.ORDER_STATE_CONFLICT).with("status", order.status().wire());
        case Unanswered(Duration wait) ->
            Refusal.of(ErrorCode.PAYMENT_PROVIDER_UNAVAILABLE).retryAfter(wait);
        case NotPayable() ->
            Refusal.of(ErrorCode.ORDER_STATE_CONFLICT).with("status", OrderStatus.CANCELLED.wire());
        case NotOffered() -> Refusal.of(ErrorCode.NOT_FOUND);
        case DetailsMissing(OrderId order) ->
            Refusal.of(ErrorCode.BUYER_DETAILS_REQUIRED)
                .with("details_url", PaymentService.detailsUrl(order));
      };
    }
  }

  /// There is no such order, or it belongs to another session.
  record NotFound() implements Refused {}

  record Conflict(Order order) implements Refused {}

  /// The provider did not answer; nothing changed.
  record Unanswered(Duration retryAfter) implements Refused {}

  /// The provider will never take the payment. The order was cancelled, and its units are free.
  record NotPayable() implements Refused {}

  /// The buyer has to give what the product asks for first.
  record DetailsMissing(OrderId order) implements Refused {}

  /// The provider of this server does not support the action.
  record NotOffered() implements Refused {}

  sealed interface CheckoutOutcome {
    record Redirect(String url) implements CheckoutOutcome {}

    record Form(String url, Map<String, String> fields) implements CheckoutOutcome {}

    record Settled(Order order) implements CheckoutOutcome {}

    record Refused(PaymentOutcome.Refused outcome) implements CheckoutOutcome {}
  }

  sealed interface PartialRefundOutcome {
    /// The server pays the part back, now or requested before. The order stays paid.
    ///
    /// @param refundable what can still be refunded, in minor units
    record Requested(Order order, long refundable) implements PartialRefundOutcome {}

    /// The part is larger than what can still be refunded; nothing changed.
    record TooLarge(long refundable) implements PartialRefundOutcome {}

    /// The idempotency key was used for another amount of this order; nothing changed.
    record OtherAmount() implements PartialRefundOutcome {}

    /// The order cannot be refunded; nothing changed.
    record Refused(PaymentOutcome.Refused reason) implements PartialRefundOutcome {}
  }
}
