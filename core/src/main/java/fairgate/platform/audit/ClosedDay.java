package fairgate.platform.audit;

/// A day of the audit log that has ended: its head never changes, even if contents are erased.
///
/// @param day as 2026-11-21
/// @param events the number of events
/// @param head the last hash of its chain, 64 hexadecimal digits
public record ClosedDay(String day, long events, String head) {}
