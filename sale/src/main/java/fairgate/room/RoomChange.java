package fairgate.room;

/// The result of creating or changing a room.
public sealed interface RoomChange {
  /// The settings are stored.
  record Saved(Room room) implements RoomChange {}

  /// There is such a room, and it stays as it is.
  record Exists() implements RoomChange {}

  /// There are as many rooms as there can be.
  record TooManyRooms() implements RoomChange {}

  /// The settings ask for a draw before an opening, and the room may have admitted visitors.
  record CannotDraw() implements RoomChange {}
}
