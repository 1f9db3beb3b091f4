package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A dispute of a payment: the buyer's bank takes the money back until the provider decides.
///
/// @param number by which the list is read on
/// @param name the provider's name of it
/// @param payment with the disputed amount
/// @param reason as the provider wrote it
/// @param openedAt when this server heard of it first
public record Dispute(
    long number,
    String name,
    OrderId order,
    Payment payment,
    State state,
    String reason,
    Instant openedAt,
    @Nullable Instant closedAt) {
  /// The state of a dispute.
  public enum State {
    /// Not decided. The tickets of the order admit nobody.
    OPEN,
    /// The shop keeps the money.
    WON,
    /// The money is with the buyer, and the order refunded.
    LOST;

    /// The name in PostgreSQL and JSON.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
