package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import org.jspecify.annotations.Nullable;

/// Where buyers pay. What a provider says is a fact; where it says nothing, nothing is known and
/// the reservation stays as it is.
///
/// `close` and `refund` may take seconds and are called on virtual threads only.
public interface PaymentProvider {
  /// The name in settings and logs.
  String name();

  /// Where the buyer of a new order pays. Called on the event loop: it only puts an address
  /// together and asks nobody.
  PaymentStart start(Order order);

  /// Asks that no payment can be made for the order from now on. A repeat gives the same answer.
  CloseOutcome close(OrderId order);

  /// Gives a payment back.
  ///
  /// @param key the same for every try of one refund: the provider gives money back once per key
  RefundOutcome refund(OrderId order, Payment payment, String key);

  /// How a buyer gets to pay.
  ///
  /// @param paymentUrl where to send the buyer; null when the page at hand does it by the API
  record PaymentStart(@Nullable String paymentUrl) {}

  /// What asking to close brought.
  sealed interface CloseOutcome {
    /// No payment was made and none can be made any more.
    record Closed() implements CloseOutcome {}

    /// It was paid before it could be closed.
    record Paid(Payment payment) implements CloseOutcome {}

    /// Nobody knows; ask again.
    record Unknown(String reason) implements CloseOutcome {}
  }

  /// What asking for a refund brought.
  sealed interface RefundOutcome {
    /// The money has gone back, now or at an earlier try with the same key.
    record Refunded() implements RefundOutcome {}

    /// The provider will not do it; a person has to.
    record Refused(String reason) implements RefundOutcome {}

    /// Nobody knows; try again with the same key.
    record Unknown(String reason) implements RefundOutcome {}
  }
}
