package fairgate.redeem.orders;

import java.util.Optional;

/// Fairgate's own orders, as its ledger has them. `app` connects it.
@FunctionalInterface
public interface OwnOrders {
  /// The order, once the ledger has it: milliseconds after it was placed. Blocks; throws
  /// ServiceUnavailable while the ledger cannot answer, or does not have a payment yet that was
  /// made.
  Optional<KnownOrder> find(String orderId);
}
