package fairgate.redeem.orders;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The source of orders that are not stored: the ledger for Fairgate's own numbers, the remote
/// order system, if there is one, for all others.
///
/// @param remote null when there is none
public record OrderSources(LedgerOrders own, @Nullable OrderSystem remote)
    implements AutoCloseable {
  /// Looks up an order in the source that may have it. Blocks.
  ///
  /// @param isOwn whether the number is one of Fairgate's own orders
  public OrderLookup find(String orderId, boolean isOwn) {
    if (isOwn) {
      return own.find(orderId)
          .<OrderLookup>map(OrderLookup.Found::new)
          .orElseGet(OrderLookup.Unknown::new);
    }
    return remote == null ? new OrderLookup.Unknown() : remote.find(orderId);
  }

  @Override
  public void close() {
    if (remote != null) {
      remote.close();
    }
  }

  public sealed interface OrderLookup {
    record Found(KnownOrder order) implements OrderLookup {}

    record Unknown() implements OrderLookup {}

    /// The source works, but what it said about this order cannot be used. This never counts
    /// against the caller, nor against the source: other orders are looked up as before.
    record Unreadable(String reason) implements OrderLookup {}

    /// The source did not respond, or its response was none of its own. This never counts against
    /// the caller.
    record Unavailable(String reason, Duration retryAfter) implements OrderLookup {}
  }
}
