package fairgate.sale.payment;

import fairgate.sale.ledger.OrderStatus;

/// The outcome of an attempt to end a reservation.
public sealed interface ReleaseOutcome {
  record Released() implements ReleaseOutcome {}

  /// The reservation ended before; nothing changed.
  record AlreadyOver(OrderStatus status) implements ReleaseOutcome {}

  record Paid() implements ReleaseOutcome {}

  /// The payment window is still open; nothing changed.
  record NotDue() implements ReleaseOutcome {}

  record UnknownOrder() implements ReleaseOutcome {}

  enum Reason {
    CANCELLED,
    EXPIRED,
    /// An operator cancelled it. Its buyer may join again at once.
    WITHDRAWN;

    String status() {
      return this == EXPIRED ? "expired" : "cancelled";
    }

    String word() {
      return this == WITHDRAWN ? "operator" : status();
    }
  }
}
