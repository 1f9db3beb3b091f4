package fairgate.sale.payment;

import fairgate.sale.ledger.OrderStatus;

/// The outcome of an attempt to end a reservation.
public sealed interface ReleaseOutcome {
  /// The reservation has ended and its units are free.
  record Released() implements ReleaseOutcome {}

  /// The reservation ended before; nothing changed.
  record AlreadyOver(OrderStatus status) implements ReleaseOutcome {}

  /// The order is paid; nothing changed.
  record Paid() implements ReleaseOutcome {}

  /// The payment window is still open; nothing changed.
  record NotDue() implements ReleaseOutcome {}

  record UnknownOrder() implements ReleaseOutcome {}

  /// The reason why a reservation ends.
  enum Reason {
    CANCELLED,
    /// Its payment window is over.
    EXPIRED,
    /// An operator cancelled it. Its buyer may join again at once.
    WITHDRAWN;

    /// The new status of the order.
    String status() {
      return this == EXPIRED ? "expired" : "cancelled";
    }

    /// The reason in the outbox event.
    String word() {
      return this == WITHDRAWN ? "operator" : status();
    }
  }
}
