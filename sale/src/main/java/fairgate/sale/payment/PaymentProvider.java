package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.sale.AmountProblem;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A payment provider. Its replies are facts. Without a reply nothing is known and the reservation
/// stays as it is.
///
/// `close` and `refund` may take seconds and are called on virtual threads only.
public interface PaymentProvider {
  /// The name in settings and logs.
  String name();

  /// The payment page of a new order. Called on the event loop: it builds an address and makes no
  /// call.
  PaymentStart start(Order order);

  /// The reason why the provider can never take this amount; empty when it may. Makes no call.
  default Optional<AmountProblem> problem(Money amount) {
    return Optional.empty();
  }

  /// Makes a call that changes nothing, so that its outcome is known to [ProviderHealth]. False
  /// when the provider has no such call.
  default boolean probe() {
    return false;
  }

  /// Closes the order, so that it cannot be paid from now on. A repeat returns the same.
  CloseOutcome close(OrderId order);

  /// Whether `refund` is supported. While it is not, refunds wait.
  boolean canRefund();

  /// Refunds a payment.
  ///
  /// @param key the same for every try of one refund: the provider gives money back once per key
  RefundOutcome refund(String order, Payment payment, String key);

  /// Verifies and parses a message of the provider.
  PaymentNotice read(PaymentNotice.Message message);

  /// The body by which the provider knows that its message was accepted; empty when any 2xx does.
  default String acknowledgement() {
    return "";
  }

  /// How a buyer pays.
  ///
  /// @param paymentUrl where to send the buyer; null when the page at hand does it by the API
  record PaymentStart(@Nullable String paymentUrl) {}

  /// The outcome of `close`.
  sealed interface CloseOutcome {
    /// No payment was made, and none can be made any more.
    record Closed() implements CloseOutcome {}

    /// The order was paid before it could be closed.
    record Paid(Payment payment) implements CloseOutcome {}

    /// Unknown; to be repeated.
    record Unknown(String reason) implements CloseOutcome {}
  }

  /// The outcome of `refund`.
  sealed interface RefundOutcome {
    /// The payment is refunded, now or by an earlier call with the same key.
    record Refunded() implements RefundOutcome {}

    /// The provider refuses; a person has to decide.
    record Refused(String reason) implements RefundOutcome {}

    /// Unknown; to be repeated with the same key.
    record Unknown(String reason) implements RefundOutcome {}
  }
}
