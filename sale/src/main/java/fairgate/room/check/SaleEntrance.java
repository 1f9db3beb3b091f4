package fairgate.room.check;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.queue.JoinGate.Entrance;
import fairgate.room.Room;
import fairgate.room.RoomService;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The waiting rooms before sales of the own shop: such a sale is joined with a pass of its room
/// only, and with one pass by one browser only.
public final class SaleEntrance implements Entrance {
  private final RoomStates rooms;
  private final VerifiedPasses passes;
  private final Clock clock;

  public SaleEntrance(RoomStates rooms, RoomTokens tokens, Clock clock) {
    this.rooms = rooms;
    this.passes = new VerifiedPasses(tokens);
    this.clock = clock;
  }

  /// A sale without a room asks nothing.
  @Override
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

  /// Counts joins while the room is on standby.
  @Override
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

  @Override
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
