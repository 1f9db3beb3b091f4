package fairgate.draw;

import static fairgate.platform.http.RouteLimits.READ;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.draw.RoomDraws.RoomDraw;
import fairgate.draw.tlog.StrictText;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/// The public record of rooms' draws, for verifiers. Pages of any origin may read it.
final class RoomDrawRoutes {
  /// The latest draws of a room that are listed. The house log has all of them.
  static final int MAX_DRAWS = 100;

  private static final Pattern ROOM = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
  private static final long MAX_ROOMS = 200;
  private static final Duration LIFE = Duration.ofSeconds(1);

  private final PostgresRoomDraws store;
  private final String logKey;
  private final Cache<String, Reply> replies =
      Caffeine.newBuilder().maximumSize(MAX_ROOMS).expireAfterWrite(LIFE).build();

  /// One read at a time for a room, also of an engine that hangs.
  private final SharedCalls<Reply> reads = new SharedCalls<>();

  /// @param logKey the verifier key of the house log
  RoomDrawRoutes(PostgresRoomDraws store, String logKey) {
    this.store = store;
    this.logKey = logKey;
  }

  List<Route> routes() {
    return List.of(Route.blockingGet("/q/{room}/draws", this::draws).limits(READ).forAnyOrigin());
  }

  private Reply draws(Request request) {
    String room = request.pathParam("room");
    if (!ROOM.matcher(room).matches()) {
      return Reply.refuse(Refusal.of(ErrorCode.ROOM_NOT_FOUND));
    }
    Reply kept = replies.getIfPresent(room);
    return kept != null ? kept : reads.get(room, () -> read(room));
  }

  private Reply read(String room) {
    List<JsonText> draws = store.of(room, MAX_DRAWS).stream().map(RoomDrawRoutes::json).toList();
    JsonText record = JsonText.object().put("room", room).put("log", logKey).putAny("draws", draws);
    store.firstEpoch(room).ifPresent(epoch -> record.put("first_epoch", epoch));
    Reply reply =
        Reply.json(200, record.bytes()).header("cache-control", "public, max-age=1").compressible();
    replies.put(room, reply);
    return reply;
  }

  private static JsonText json(RoomDraw draw) {
    JsonText json =
        JsonText.object()
            .put("epoch", draw.seal().epoch())
            .put("tickets", draw.seal().tickets())
            .put("draws_at", draw.drawsAt())
            .put("chain", draw.chainInfo())
            .put("seal", text(draw.seal().data()))
            .put("index", draw.index())
            .put("proof", draw.proof());
    draw.result().ifPresent(result -> json.put("result", text(result.data())));
    return json;
  }

  private static String text(byte[] leaf) {
    return StrictText.utf8(leaf).orElseThrow();
  }
}
