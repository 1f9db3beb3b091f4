package fairgate.sale.payment;

import fairgate.kernel.Word;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A refund as operators see it.
///
/// @param id the number by which operators name it
/// @param order the order that the payment was made for, known or not
/// @param payment with the amount that goes back
/// @param part the part of the payment that goes back; empty = all of it, or the rest
/// @param cause `late`, `amount`, `second`, `operator`, `deposit`, `provider` (in its own back
///   office), `dispute`, `unknown_order` or `other_order`; empty for refunds of earlier versions
/// @param paidOrder the order that this payment pays, where one is known
/// @param decision the last decision of an operator
public record Refund(
    long id,
    String order,
    Payment payment,
    String part,
    State state,
    String cause,
    Progress progress,
    @Nullable String paidOrder,
    @Nullable Decision decision) {
  /// The attempts so far.
  ///
  /// @param tries how often the provider was asked
  /// @param answer the provider's last answer
  /// @param nextTryAt when the provider is asked again, while the refund is due
  public record Progress(
      int tries,
      @Nullable String answer,
      Instant createdAt,
      Instant nextTryAt,
      @Nullable Instant doneAt) {}

  public record Decision(String actor, @Nullable String reason) {}

  public enum State implements Word {
    /// The server calls the provider until it replies.
    DUE,
    /// The provider cannot be called, because no `payment.refund_url` is set. Becomes due by itself
    /// once it is set.
    WAITING,
    /// The provider refused. A person has to decide.
    FAILED,
    /// A payment that no order could take: its order is unknown, or it belongs to another order. A
    /// person has to decide.
    UNPLACED,
    DONE,
    GIVEN_UP;

    /// Parses a name; throws IllegalArgumentException for any other text.
    static State of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /// Whether an action is still needed.
    public boolean open() {
      return this != DONE && this != GIVEN_UP;
    }
  }
}
