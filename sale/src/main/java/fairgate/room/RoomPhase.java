package fairgate.room;

import java.util.Locale;

/// The phase of a room, as its head tells it.
public enum RoomPhase {
  /// The opening has not come; visitors can join.
  BEFORE,
  OPEN,
  PAUSED,
  ENDED,
  /// Nobody has to wait.
  OFF;

  /// The name in the head and in Redis.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static RoomPhase of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
