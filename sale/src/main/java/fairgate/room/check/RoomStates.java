package fairgate.room.check;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.room.Room;
import fairgate.room.token.RoomClaims;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The state of the rooms for checks. All of it except [#renew], [#own] and [#walkIn] is in memory:
/// a check with a valid pass asks no server.
public interface RoomStates {
  Optional<Room> find(String id);

  /// The room before a sale of the own shop; empty for none, and when it is off.
  Optional<Room> before(ProductId sale);

  boolean isRevoked(Room room, RoomClaims pass);

  Entry entry(Room room);

  /// Whether the visit of this pass belongs to the browser: to the first one that asks.
  Future<Boolean> own(Room room, RoomClaims pass, DeviceId device);

  /// Lets a visitor into a room on standby, with a pass at once. Empty when the room is on now.
  ///
  /// @param client null when it is not known
  Future<Optional<NewPass>> walkIn(Room room, @Nullable ClientAddress client);

  /// Prolongs the visit. Empty when it cannot be prolonged; the present pass stays valid.
  Future<Optional<NewPass>> renew(Room room, RoomClaims pass);

  /// The address of the room's waiting page.
  ///
  /// @param origin scheme and host of the page
  /// @param back where the visitor goes in the end; empty for the room's own address
  String page(Room room, String origin, String back);

  record NewPass(String token, Duration maxAge) {}

  enum Entry {
    WAIT,
    /// Enter with a pass at once: the room is on standby.
    WALK_IN,
    /// Go on without a pass: the room's failure policy opens it.
    OPEN
  }
}
