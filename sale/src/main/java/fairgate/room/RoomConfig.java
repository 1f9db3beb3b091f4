package fairgate.room;

import java.time.Duration;

/// Times that are equal for all rooms.
///
/// @param period of presence: a visitor that was not seen in a whole period, nor in the two before
///   it, has left. Three of them make ten minutes at least
/// @param showUp how long the slot of a visitor whose turn has come is kept
/// @param idle how long nobody may wait before standby ends
/// @param turn how long a turn is valid
/// @param place how long a place token is valid, from now or the opening on
/// @param draw time between the sealing of a drawn order and the beacon round that decides it
public record RoomConfig(
    Duration period, Duration showUp, Duration idle, Duration turn, Duration place, Duration draw) {
  /// The times for real rooms.
  public static RoomConfig defaults(Duration draw) {
    return new RoomConfig(
        Duration.ofMinutes(5),
        Duration.ofSeconds(45),
        Duration.ofSeconds(60),
        Duration.ofSeconds(120),
        Duration.ofHours(24),
        draw);
  }
}
