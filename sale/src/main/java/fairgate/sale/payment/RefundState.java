package fairgate.sale.payment;

import java.util.Locale;

/// The state of a refund.
public enum RefundState {
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
  /// The payment is refunded.
  DONE,
  /// A person decided not to refund.
  GIVEN_UP;

  /// The name in PostgreSQL, JSON and metrics.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Parses a name; throws IllegalArgumentException for any other text.
  static RefundState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /// Whether an action is still needed.
  public boolean open() {
    return this != DONE && this != GIVEN_UP;
  }
}
