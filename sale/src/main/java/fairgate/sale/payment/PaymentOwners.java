package fairgate.sale.payment;

import fairgate.kernel.OrderId;

/// Stores which order each payment pays. Blocks: for virtual threads.
interface PaymentOwners {
  /// Assigns the payment to the order unless another order has it, and returns its order. A repeat
  /// returns the same on all nodes, permanently.
  OrderId claim(OrderId order, Payment payment);
}
