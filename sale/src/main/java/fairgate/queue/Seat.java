package fairgate.queue;

import java.util.Arrays;
import java.util.Locale;

/// Where a new place is in the waiting queue.
public enum Seat {
  /// In order of arrival.
  IN_ORDER,
  /// Behind all places in order of arrival, also those of later arrivals.
  BEHIND,
  /// Behind all others, and not admitted before a review.
  HELD;

  public enum Move {
    NONE,
    SAME,
    MOVED;

    /// The result of trying in two places.
    public Move or(Move other) {
      return compareTo(other) >= 0 ? this : other;
    }
  }

  /// The name in scripts and replies; empty for places in order of arrival.
  public String wire() {
    return this == IN_ORDER ? "" : name().toLowerCase(Locale.ROOT);
  }

  public static Seat of(String wire) {
    return Arrays.stream(values())
        .filter(seat -> seat.wire().equals(wire))
        .findFirst()
        .orElseThrow();
  }
}
