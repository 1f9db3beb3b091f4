package fairgate.room;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.TicketOrder;
import fairgate.platform.http.Reply;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What this node knows of one room without asking Redis. Written by [RoomLoop], read by any
/// thread.
public final class RoomNode {
  /// The number of tickets of a block, as a power of two.
  public static final int BLOCK_BITS = 14;

  private static final String HEAD_CACHE =
      "public, s-maxage=1, stale-while-revalidate=5, stale-if-error=30";

  /// The maximum number of blocks whose bitmaps are kept, 2 KiB each.
  private static final int MAX_TILES = 2_048;

  /// Without a reply of Redis for this time, the head tells that it is stale.
  static final Duration STALE_AFTER = Duration.ofSeconds(3);

  private final String room;
  private final Map<Long, Long> revoked = new ConcurrentHashMap<>();
  private final Cache<Long, Tile> tiles = Caffeine.newBuilder().maximumSize(MAX_TILES).build();
  private volatile Head head = Head.NONE;
  private volatile AdvanceRoomScript.Run.@Nullable Moved moved;
  private volatile long reachedAt;

  /// The version of the settings in the last run.
  private volatile long version;

  private final Map<Promise<Room.Phase>, Long> awaited = new ConcurrentHashMap<>();

  /// @param order null when nothing was drawn
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Head(
      byte[] bytes,
      @Nullable Reply reply,
      @Nullable TicketOrder order,
      long cursor,
      long epoch,
      @Nullable Long waiting) {
    static final Head NONE = new Head(new byte[0], null, null, 0, 0, null);
  }

  /// A block's bitmap.
  ///
  /// @param readAt ms
  record Tile(Reply reply, long readAt) {}

  /// @param openedAt ms at which this node began to know the room
  RoomNode(String room, long openedAt) {
    this.room = room;
    this.reachedAt = openedAt;
  }

  /// The reply with the present head; null when this node has none. The same bytes for everybody.
  @Nullable Reply head() {
    return head.reply();
  }

  /// The bytes of the present head; empty when there is none.
  public byte[] headBytes() {
    return head.bytes().clone();
  }

  /// The number of visitors who wait for their turn, by the present head; null when there is none.
  public @Nullable Long waiting() {
    return head.waiting();
  }

  /// The phase; null when this node has not reached Redis yet.
  public Room.@Nullable Phase phase() {
    AdvanceRoomScript.Run.Moved known = moved;
    return known == null ? null : known.phase();
  }

  /// The phase with these settings or later ones, as soon as this node has moved the room with
  /// them; callers limit their wait.
  ///
  /// @param settings the version of the settings
  public Future<Room.Phase> phaseWith(long settings) {
    Promise<Room.Phase> phase = Promise.promise();
    awaited.put(phase, settings);
    tellPhase();
    return phase.future();
  }

  private void tellPhase() {
    long applied = version;
    AdvanceRoomScript.Run.Moved known = moved;
    if (known != null) {
      awaited.forEach(
          (phase, wanted) -> {
            if (wanted <= applied && awaited.remove(phase) != null) {
              phase.complete(known.phase());
            }
          });
    }
  }

  /// Whether the last run knew earlier settings.
  boolean isBehind(long settings) {
    return version < settings;
  }

  /// Whether the visit of this ticket was ended before its pass ends.
  public boolean isRevoked(long ticket) {
    return revoked.containsKey(ticket);
  }

  /// Whether Redis could not be reached for the room lately.
  ///
  /// @param now ms
  public boolean isCutOff(long now) {
    return now - reachedAt > STALE_AFTER.toMillis();
  }

  /// Whether visitors without a pass are let through, because Redis is away and the room's failure
  /// policy says so. It ends by itself.
  ///
  /// @param now ms
  public boolean isOpenByFailure(Room about, long now) {
    return isCutOff(now)
        && now - reachedAt <= Duration.ofMinutes(about.failure().openMinutes()).toMillis();
  }

  public long drawn(long ticket) {
    TicketOrder order = head.order();
    return order == null ? ticket : order.of(ticket);
  }

  int drawnCount() {
    TicketOrder order = head.order();
    return order == null ? 0 : order.count();
  }

  long cursor() {
    return head.cursor();
  }

  AdvanceRoomScript.Run.@Nullable Moved moved() {
    return moved;
  }

  Cache<Long, Tile> tiles() {
    return tiles;
  }

  /// Forgets the ended visits: a new epoch has begun, in which no earlier pass is valid and ticket
  /// numbers may begin again.
  void epochBegun() {
    revoked.clear();
  }

  /// @param settings the version of the settings in this run
  void moved(AdvanceRoomScript.Run.Moved run, long settings, long now) {
    moved = run;
    version = settings;
    reachedAt = now;
    tellPhase();
  }

  /// Takes a new head; the same bytes again change nothing.
  void head(byte[] bytes) {
    if (Arrays.equals(bytes, head.bytes())) {
      return;
    }
    JsonObject json = Json.parseObject(bytes);
    TicketOrder order = null;
    if (json.get("drawn") instanceof JsonObject drawn
        && drawn.get("seed") instanceof String seed
        && drawn.get("n") instanceof Long count) {
      TicketOrder had = head.order();
      order =
          had != null && had.isOf(seed, count)
              ? had
              : new TicketOrder(seed, Math.toIntExact(count));
    }
    long cursor = json.get("cursor") instanceof Long value ? value : 0;
    long epoch = json.get("epoch") instanceof Long value ? value : 0;
    Reply reply =
        Reply.json(200, bytes)
            .header("cache-control", HEAD_CACHE)
            .header("vary", "accept-encoding");
    head = new Head(bytes, reply, order, cursor, epoch, waiting(json, cursor));
  }

  /// The tickets from the cursor on, without those that are gone.
  private static long waiting(JsonObject head, long cursor) {
    long waiting = (head.get("last") instanceof Long last ? last : 0) - cursor;
    if (head.get("gone") instanceof List<?> blocks) {
      for (Object gone : blocks) {
        waiting -= gone instanceof Long count ? count : 0;
      }
    }
    return Math.max(0, waiting);
  }

  /// Takes visits that were ended.
  ///
  /// @param now ms
  void revoke(Iterable<Long> tickets, long now) {
    tickets.forEach(ticket -> revoked.put(ticket, now));
    long over = now - Room.ABSOLUTE_SESSION.toMillis();
    revoked.values().removeIf(at -> at < over);
  }

  @Override
  public String toString() {
    return room;
  }
}
