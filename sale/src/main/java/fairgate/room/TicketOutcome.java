package fairgate.room;

import fairgate.platform.http.Refusal;

/// The outcome of an attempt to get a ticket.
public sealed interface TicketOutcome {
  /// The browser has a ticket.
  ///
  /// @param place the signed place token
  /// @param ticket in order of arrival
  /// @param fresh false for a repeat, which gets the ticket that it has
  record Given(String place, long ticket, long epoch, boolean fresh) implements TicketOutcome {}

  /// The browser has none.
  record Refused(Refusal refusal) implements TicketOutcome {}
}
