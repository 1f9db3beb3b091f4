package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.kernel.Word;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A provider's message, verified and parsed.
public sealed interface PaymentNotice {
  /// An order was paid.
  ///
  /// @param order as the provider names it
  record Paid(String order, Payment payment) implements PaymentNotice {}

  /// A payment of which this server has no try. It is another shop's on the same account, unless
  /// its order is known here.
  ///
  /// @param order as the provider names it
  record Unasked(String order, Payment payment) implements PaymentNotice {}

  /// A payment was declined; the buyer may try again.
  ///
  /// @param order as the provider names it
  record Declined(String order) implements PaymentNotice {}

  /// Money of a payment went back at the provider, whoever asked for it.
  ///
  /// @param order as the provider names it
  /// @param payment with all that went back so far
  record Refunded(String order, Payment payment) implements PaymentNotice {}

  /// A payment is disputed, or the dispute was decided.
  ///
  /// @param order as the provider names it
  /// @param dispute the provider's name of it
  /// @param payment with the disputed amount
  /// @param reason as the provider wrote it
  record Disputed(String order, String dispute, Payment payment, Dispute.State state, String reason)
      implements PaymentNotice {}

  /// The message is genuine and says nothing about a payment. It is accepted, because the provider
  /// would repeat it for days.
  record Irrelevant() implements PaymentNotice {}

  /// The message is not from the provider, or too old.
  record Rejected(WebhookSignature.Result verdict) implements PaymentNotice {}

  /// A message as received. Its body must not be modified.
  @SuppressWarnings("ArrayRecordComponent")
  record Message(Headers headers, byte[] body) {
    /// Reads a header by its name in any case; null when absent.
    @FunctionalInterface
    interface Headers {
      @Nullable String get(String name);
    }
  }

  /// A dispute of a payment: the buyer's bank takes the money back until the provider decides.
  ///
  /// @param number by which the list is read on
  /// @param name the provider's name of it
  /// @param payment with the disputed amount
  /// @param reason as the provider wrote it
  /// @param openedAt when this server heard of it first
  record Dispute(
      long number,
      String name,
      OrderId order,
      Payment payment,
      State state,
      String reason,
      Instant openedAt,
      @Nullable Instant closedAt) {
    public enum State implements Word {
      /// Not decided. The tickets of the order admit nobody.
      OPEN,
      /// The shop keeps the money.
      WON,
      /// The money is with the buyer, and the order refunded.
      LOST
    }
  }
}
