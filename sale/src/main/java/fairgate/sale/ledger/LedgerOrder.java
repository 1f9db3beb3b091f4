package fairgate.sale.ledger;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An order of Fairgate in the ledger.
public record LedgerOrder(OrderId id, Buyer buyer, int quantity, Money amount, State standing) {

  /// The owner of the order.
  ///
  /// @param user the account, or the device's hash where there is none
  /// @param device the device's hash for this product
  public record Buyer(String session, String user, String device) {}

  /// The progress of the order.
  ///
  /// @param version 1 at birth, one more per edge
  /// @param payBy null when no payment is waited for
  public record State(
      OrderStatus status,
      int version,
      Instant createdAt,
      Instant updatedAt,
      @Nullable Instant payBy,
      Paid paid) {}

  /// The payment of the order.
  ///
  /// @param version the version of the edge that paid it; 0 = never paid
  /// @param payment the provider's id of the payment; null when none was needed
  public record Paid(int version, @Nullable Instant at, @Nullable String payment) {}
}
