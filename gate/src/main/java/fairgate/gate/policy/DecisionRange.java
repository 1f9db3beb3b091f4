package fairgate.gate.policy;

import java.time.Instant;

/// Which recorded decisions to read: the newest ones within a time.
///
/// @param from inclusive
/// @param to exclusive
/// @param limit maximum number of decisions
public record DecisionRange(Instant from, Instant to, long limit) {
  /// The earliest time that PostgreSQL and Java count without loss.
  public static final Instant BEGINNING = Instant.parse("2000-01-01T00:00:00Z");

  public static final Instant END = Instant.parse("2200-01-01T00:00:00Z");

  /// All recorded decisions.
  public static DecisionRange all() {
    return new DecisionRange(BEGINNING, END, Long.MAX_VALUE);
  }
}
