package fairgate.redeem.orders;

import java.util.Optional;

/// Fairgate's own orders, as its ledger has them. `app` connects it.
@FunctionalInterface
public interface OwnOrders {
  /// The order, once the ledger has it: milliseconds after it was placed. Blocks; throws
  /// ServiceUnavailable while the ledger cannot answer.
  Optional<KnownOrder> find(String orderId);
}
