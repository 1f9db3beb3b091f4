package fairgate.ticket;

import java.time.Instant;

/// The result of a check-in.
public sealed interface CheckIn {
  /// The holder may enter. A repeat of the same scan gets the same result.
  ///
  /// @param holder to whom the ticket was transferred; empty for the buyer
  record Admitted(Ticket ticket, String holder) implements CheckIn {}

  /// The ticket was checked in before.
  record Used(Ticket ticket, Instant at, String by) implements CheckIn {}

  /// The order was refunded or cancelled.
  record Refunded(Ticket ticket) implements CheckIn {}

  /// The ticket was transferred: its new holder has another code.
  record Replaced(Ticket ticket) implements CheckIn {}

  /// A ticket of another sale.
  record OtherSale() implements CheckIn {}

  /// No ticket has this code.
  record Unknown() implements CheckIn {}

  /// The QR code was not made by this server.
  record Forged() implements CheckIn {}
}
