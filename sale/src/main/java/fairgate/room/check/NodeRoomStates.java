package fairgate.room.check;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.room.Room;
import fairgate.room.RoomFeature;
import fairgate.room.RoomNode;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.token.RoomClaims;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The rooms as this node knows them.
public record NodeRoomStates(RoomFeature rooms, Clock clock) implements RoomStates {
  @Override
  public Optional<Room> find(String id) {
    return rooms.rooms().find(id);
  }

  @Override
  public Optional<Room> before(ProductId sale) {
    return rooms.rooms().before(sale);
  }

  @Override
  public boolean isRevoked(Room room, RoomClaims pass) {
    return rooms.loop().node(room.id()).isRevoked(pass.ticket());
  }

  @Override
  public Entry entry(Room room) {
    RoomNode node = rooms.loop().node(room.id());
    if (node.isOpenByFailure(room, clock.millis())) {
      return Entry.OPEN;
    }
    return node.phase() == Room.Phase.OFF ? Entry.WALK_IN : Entry.WAIT;
  }

  @Override
  public Future<Boolean> own(Room room, RoomClaims pass, DeviceId device) {
    return rooms.owners().own(room, pass, device);
  }

  @Override
  public Future<Optional<NewPass>> walkIn(Room room, @Nullable ClientAddress client) {
    return rooms.service().walkIn(room, client).map(found -> found.map(NodeRoomStates::pass));
  }

  @Override
  public Future<Optional<NewPass>> renew(Room room, RoomClaims pass) {
    return rooms
        .service()
        .renew(room, pass)
        .map(
            outcome ->
                switch (outcome) {
                  case EntryOutcome.Admitted admitted -> Optional.of(pass(admitted));
                  case EntryOutcome.Refused _ -> Optional.empty();
                });
  }

  private static NewPass pass(EntryOutcome.Admitted admitted) {
    RoomClaims claims = admitted.claims();
    return new NewPass(
        admitted.token(), Duration.ofSeconds(claims.expiresAt() - claims.issuedAt()));
  }

  @Override
  public String page(Room room, String origin, String back) {
    String page = origin + "/q/" + room.id() + "/";
    return back.isEmpty() ? page : page + "?return=" + rooms.returnUrls().sign(room.id(), back);
  }
}
