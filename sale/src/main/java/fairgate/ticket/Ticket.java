package fairgate.ticket;

import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.OrderId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A ticket as it is stored.
///
/// @param place 1 for the first unit of its order
/// @param formerId the id before a transfer
/// @param offers how often it was offered to somebody
/// @param offerId the id in the link of the latest offer
/// @param offered whether somebody may take it over
/// @param holder the name of the person to whom it is offered or was transferred, encrypted
/// @param taker keyed hash of the browser that took it over
/// @param isPaid whether its order is paid and not disputed: no other ticket admits anybody
/// @param isDisputed whether a payment of its order is disputed, and not decided
public record Ticket(
    OrderId order,
    int place,
    TicketId id,
    @Nullable TicketId formerId,
    int offers,
    @Nullable TicketId offerId,
    boolean offered,
    @Nullable Sealed holder,
    @Nullable String taker,
    @Nullable Instant transferredAt,
    @Nullable Use use,
    boolean isPaid,
    boolean isDisputed) {

  /// A check-in.
  ///
  /// @param by the operator
  /// @param scan the id that the device gave to the scan
  public record Use(Instant at, String by, String scan) {}
}
