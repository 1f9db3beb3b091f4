package fairgate.room.check;

import fairgate.room.Room;
import fairgate.room.token.RoomClaims;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/// What a check reads of the rooms. All of it except [#renew] and [#walkIn] is in memory: a check
/// with a valid pass asks no server.
public interface RoomStates {
  /// The room with this id.
  Optional<Room> find(String id);

  /// Whether this pass was revoked.
  boolean isRevoked(Room room, RoomClaims pass);

  /// What visitors without a pass may do now.
  Entry entry(Room room);

  /// Lets a visitor into a room on standby, with a pass at once. Empty when the room is on now.
  Future<Optional<NewPass>> walkIn(Room room);

  /// Prolongs the visit. Empty when it cannot be prolonged; the present pass stays valid.
  Future<Optional<NewPass>> renew(Room room, RoomClaims pass);

  /// The address of the room's waiting page.
  ///
  /// @param origin scheme and host of the page
  /// @param back where the visitor goes in the end; empty for the room's own address
  String page(Room room, String origin, String back);

  /// A pass for the visitor's cookie.
  record NewPass(String token, Duration maxAge) {}

  /// What visitors without a pass may do.
  enum Entry {
    /// Wait for their turn.
    WAIT,
    /// Enter with a pass at once: the room is on standby.
    WALK_IN,
    /// Go on without a pass: the room's failure policy opens it.
    OPEN
  }
}
