package fairgate.sale.payment;

import fairgate.sale.ledger.OrderStatus;

/// The outcome of somebody's return from the payment page of a provider.
public sealed interface ReturnOutcome {
  /// The buyer is back, with the order as it is now.
  record Own(Order order) implements ReturnOutcome {}

  /// A browser is back that the order does not belong to, such as the one that a wallet app opened.
  /// It learns only the order's state.
  record Elsewhere(OrderStatus status) implements ReturnOutcome {}

  /// There is no such order, or the provider has no payment pages.
  record Missing() implements ReturnOutcome {}
}
