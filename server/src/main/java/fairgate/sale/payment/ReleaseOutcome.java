package fairgate.sale.payment;

/// What an attempt to end a reservation did.
public sealed interface ReleaseOutcome {
  /// The units are free again.
  record Released() implements ReleaseOutcome {}

  /// The reservation had ended before; nothing changed.
  record AlreadyOver(OrderStatus status) implements ReleaseOutcome {}

  /// The order is paid; nothing changed.
  record Paid() implements ReleaseOutcome {}

  /// The payment window is still open; nothing changed.
  record NotDue() implements ReleaseOutcome {}

  /// No such order.
  record UnknownOrder() implements ReleaseOutcome {}

  /// Why a reservation ends.
  enum Reason {
    /// Its owner gave it up.
    CANCELLED,
    /// Its payment window is over.
    EXPIRED
  }
}
