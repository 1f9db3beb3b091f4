package fairgate.room;

import fairgate.platform.http.Request;
import fairgate.room.token.RoomTokens;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Tells by which ticket a call of a waiting browser is counted, before its body is read and before
/// any signature is verified. Asks no server.
public final class TicketCallers {
  /// The header with the place token.
  public static final String PLACE = "x-fairgate-place";

  private final Rooms rooms;
  private final RoomPlaces places;

  TicketCallers(Rooms rooms, RoomPlaces places) {
    this.rooms = rooms;
    this.places = places;
  }

  /// The ticket of a call to `/q/{room}/...`; empty when it carries neither a turn nor a place
  /// token of the room, in a header or a cookie.
  public Optional<String> ticket(Request request) {
    return rooms.find(request.pathParam("room")).flatMap(room -> ticket(room, request));
  }

  private Optional<String> ticket(Room room, Request request) {
    String turn = request.query("turn");
    if (turn != null) {
      return places.countedTicket(room, RoomTokens.Type.TURN, turn);
    }
    String place = place(room, request);
    return place == null
        ? Optional.empty()
        : places.countedTicket(room, RoomTokens.Type.PLACE, place);
  }

  private static @Nullable String place(Room room, Request request) {
    String header = request.header(PLACE);
    return header == null ? request.cookie(RoomPlaces.placeCookie(room.id())) : header;
  }
}
