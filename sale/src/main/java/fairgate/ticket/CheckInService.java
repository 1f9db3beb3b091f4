package fairgate.ticket;

import fairgate.kernel.ProductId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Checks tickets in, each once, over any number of devices. Blocks: for virtual threads. Throws
/// ServiceUnavailable while PostgreSQL is away: devices then verify the signature themselves and
/// send their scans later.
public final class CheckInService {
  public static final int MAX_LENGTH = TicketKeys.MAX_LENGTH;

  private final PostgresTickets tickets;
  private final TicketKeys keys;
  private final TicketService service;

  CheckInService(PostgresTickets tickets, TicketKeys keys, TicketService service) {
    this.tickets = tickets;
    this.keys = keys;
    this.service = service;
  }

  /// Checks a ticket in.
  ///
  /// @param product of the entrance
  /// @param text of a QR code, or an id as people type it
  /// @param use when it was scanned, by whom, and the id of the scan, which makes a repeat harmless
  public CheckIn checkIn(ProductId product, String text, Ticket.Use use) {
    TicketId id;
    if (text.indexOf('.') < 0) {
      id = TicketId.parse(text).orElse(null);
    } else {
      Optional<TicketKeys.Claims> claims = keys.verify(text);
      if (claims.isEmpty()) {
        return new CheckIn.Forged();
      }
      if (!claims.get().product().equals(product)) {
        return new CheckIn.OtherSale();
      }
      id = claims.get().ticket();
    }
    return id == null ? new CheckIn.Unknown() : checkIn(product, id, use);
  }

  private CheckIn checkIn(ProductId product, TicketId id, Ticket.Use use) {
    boolean _ = tickets.checkIn(product, id, use);
    Ticket ticket = tickets.find(id).orElse(null);
    if (ticket == null) {
      return new CheckIn.Unknown();
    }
    if (!ticket.order().product().equals(product)) {
      return new CheckIn.OtherSale();
    }
    return state(ticket, id, use);
  }

  private CheckIn state(Ticket ticket, TicketId id, Ticket.Use use) {
    if (id.equals(ticket.formerId())) {
      return new CheckIn.Replaced(ticket);
    }
    Ticket.@Nullable Use found = ticket.use();
    if (found == null) {
      return new CheckIn.Refunded(ticket);
    }
    return found.scan().equals(use.scan())
        ? new CheckIn.Admitted(ticket, service.holder(ticket))
        : new CheckIn.Used(ticket, found.at(), found.by());
  }

  public sealed interface CheckIn {
    /// The holder may enter. A repeat of the same scan gets the same result.
    ///
    /// @param holder to whom the ticket was transferred; empty for the buyer
    record Admitted(Ticket ticket, String holder) implements CheckIn {}

    record Used(Ticket ticket, Instant at, String by) implements CheckIn {}

    record Refunded(Ticket ticket) implements CheckIn {}

    /// The ticket was transferred: its new holder has another code.
    record Replaced(Ticket ticket) implements CheckIn {}

    record OtherSale() implements CheckIn {}

    record Unknown() implements CheckIn {}

    record Forged() implements CheckIn {}
  }
}
