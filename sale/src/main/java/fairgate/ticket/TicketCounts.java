package fairgate.ticket;

import java.time.Instant;

/// How many tickets of a sale there are.
///
/// @param valid of paid orders, checked in or not
/// @param used checked in
/// @param at PostgreSQL's time of these figures
public record TicketCounts(long valid, long used, Instant at) {}
