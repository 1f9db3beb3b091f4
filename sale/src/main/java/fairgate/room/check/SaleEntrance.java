package fairgate.room.check;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.room.Room;
import fairgate.room.RoomService;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The waiting rooms before sales of the own shop: such a sale is joined with a pass of its room
/// only, and with one pass by one browser only. Thread-safe.
public final class SaleEntrance {
  private final RoomStates rooms;
  private final VerifiedPasses passes;
  private final Clock clock;

  public SaleEntrance(RoomStates rooms, RoomTokens tokens, Clock clock) {
    this.rooms = rooms;
    this.passes = new VerifiedPasses(tokens);
    this.clock = clock;
  }

  /// The room before a sale, for its page.
  ///
  /// @param id of the room
  /// @param waits whether the visitor has to wait in it
  public record Before(String id, boolean waits) {}

  /// The refusal of a join; empty when the sender may join. Changes nothing. Fails with
  /// ServiceUnavailable while Redis is away. A sale without a room asks nothing.
  ///
  /// @param request null when the join came through a channel without cookies
  public Future<Optional<Refusal>> check(ProductId sale, @Nullable Request request) {
    Room room = rooms.before(sale).orElse(null);
    if (room == null) {
      return Future.succeededFuture(Optional.empty());
    }
    Optional<RoomClaims> pass = request == null ? Optional.empty() : pass(room, request);
    if (request != null && pass.isPresent()) {
      return rooms
          .own(room, pass.get(), request.device().id())
          .map(owns -> owns ? Optional.empty() : Optional.of(waitFirst(room)));
    }
    return Future.succeededFuture(
        rooms.entry(room) == RoomStates.Entry.WAIT
            ? Optional.of(waitFirst(room))
            : Optional.empty());
  }

  /// Counts a join that is about to get its place as a visit, while the room is on standby. The
  /// refusal when the room has become full; empty when the sender may join.
  ///
  /// @param request as for [#check]
  public Future<Optional<Refusal>> visit(ProductId sale, @Nullable Request request) {
    Room room = rooms.before(sale).orElse(null);
    if (room == null
        || rooms.entry(room) != RoomStates.Entry.WALK_IN
        || (request != null && pass(room, request).isPresent())) {
      return Future.succeededFuture(Optional.empty());
    }
    return rooms
        .walkIn(room, request == null ? null : request.address())
        .map(made -> made.isPresent() ? Optional.empty() : Optional.of(waitFirst(room)));
  }

  /// The room before a sale; empty for none, and when it is off. Asks no server.
  public Optional<Before> before(ProductId sale, Request request) {
    return rooms
        .before(sale)
        .map(
            room ->
                new Before(
                    room.id(),
                    rooms.entry(room) == RoomStates.Entry.WAIT && pass(room, request).isEmpty()));
  }

  private Optional<RoomClaims> pass(Room room, Request request) {
    String token = request.cookie(RoomService.passCookie(room.id()));
    return token == null
        ? Optional.empty()
        : passes
            .find(room, token, clock.instant().getEpochSecond())
            .map(VerifiedPasses.Verified::claims)
            .filter(claims -> !rooms.isRevoked(room, claims));
  }

  private static Refusal waitFirst(Room room) {
    return Refusal.of(ErrorCode.ROOM_FIRST).with("room_url", "/q/" + room.id() + "/");
  }
}
