package fairgate.queue;

import java.util.Locale;

/// Where a session stands. The wire names are those of the constants in lower case.
public enum QueueStatus {
  /// In the long queue.
  WAITING,
  /// In the short queue, not yet at the front.
  ACTIVE,
  /// May buy until its window ends.
  READY_TO_PURCHASE,
  /// Holds or owns units.
  PURCHASED,
  /// Over: window missed, presence lost, sale over, left, or not paid.
  EXPIRED;

  private final String wire = name().toLowerCase(Locale.ROOT);

  /// The name in JSON and in Redis.
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
