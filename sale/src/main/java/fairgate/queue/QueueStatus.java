package fairgate.queue;

import java.util.Locale;

/// The status of a session. The wire names are the constants in lower case.
public enum QueueStatus {
  /// In the waiting queue.
  WAITING,
  /// In the active queue, not yet ready.
  ACTIVE,
  /// May buy until its window ends.
  READY_TO_PURCHASE,
  /// Holds or owns units.
  PURCHASED,
  /// The place has ended: missed window, absence, end of the sale, left, or not paid.
  EXPIRED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /// The name in JSON and Redis.
  public String wire() {
    return wire;
  }

  /// Whether the session still has a place.
  public boolean live() {
    return this == WAITING || this == ACTIVE || this == READY_TO_PURCHASE;
  }

  static QueueStatus of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
