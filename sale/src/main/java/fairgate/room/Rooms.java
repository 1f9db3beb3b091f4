package fairgate.room;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The rooms and their changes by operators. Reads come from memory, on any thread.
///
/// The snapshot has this node's own changes at once and those of other nodes within half a second;
/// while PostgreSQL is away it does not change. Changes block: they are for virtual threads, and
/// throw ServiceUnavailable when PostgreSQL does not answer.
public final class Rooms implements AutoCloseable {
  /// The maximum number of rooms: every node moves each of them several times a second.
  public static final int MAX_ROOMS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Rooms.class);

  /// Deleted rooms whose return URL is in memory, the newest.
  private static final int MAX_ENDED = 1_000;

  private static final long FIRST_LOAD_S = 10;

  private final PostgresRooms store;
  private final Supplier<Duration> draw;
  private final ChangePoll.Watch watch;
  private volatile Snapshot snapshot = Snapshot.of("", Map.of(), Map.of());
  private final AtomicLong loads = new AtomicLong();
  private long adopted;

  record Snapshot(
      String stamp,
      Map<String, PostgresRooms.Stored> rooms,
      Map<ProductId, Room> bySale,
      Map<String, String> ended) {
    /// @param rooms in order of their ids
    /// @param ended the return URLs of deleted rooms
    static Snapshot of(
        String stamp, Map<String, PostgresRooms.Stored> rooms, Map<String, String> ended) {
      Map<ProductId, Room> bySale = new HashMap<>();
      for (PostgresRooms.Stored stored : rooms.values()) {
        Room room = stored.room();
        ProductId sale = room.sale();
        if (sale != null && room.mode() != Room.Mode.OFF) {
          bySale.putIfAbsent(sale, room);
        }
      }
      return new Snapshot(stamp, rooms, bySale, ended);
    }
  }

  private Rooms(PostgresDatabase database, Supplier<Duration> draw) {
    this.draw = draw;
    this.store = new PostgresRooms(database);
    this.watch = database.changes().watch(PostgresRooms.STAMP, this::look);
  }

  /// Loads all rooms; blocks until they are loaded.
  ///
  /// @param draw time between the sealing of a drawn order and its beacon round
  public static Rooms open(PostgresDatabase database, Supplier<Duration> draw) {
    Rooms rooms = new Rooms(database, draw);
    try {
      rooms.refresh();
      return rooms;
    } catch (RuntimeException e) {
      rooms.close();
      throw e;
    }
  }

  /// The room; empty when there is none.
  public Optional<Room> find(String id) {
    return Optional.ofNullable(snapshot.rooms().get(id)).map(PostgresRooms.Stored::room);
  }

  /// Where visitors of a deleted room go on; empty for an unknown room, one without a return URL,
  /// and one that was deleted a month ago.
  public Optional<String> afterTheEnd(String id) {
    return Optional.ofNullable(snapshot.ended().get(id));
  }

  /// As `find`, but reads an unknown room from PostgreSQL: another node may have created it a
  /// moment ago. Blocks; for operators. Throws ServiceUnavailable.
  public Optional<Room> findOrReload(String id) {
    if (find(id).isEmpty()) {
      refresh();
    }
    return find(id);
  }

  public List<Room> all() {
    return snapshot.rooms().values().stream().map(PostgresRooms.Stored::room).toList();
  }

  /// The first room, by id, that protects this request and is not off.
  ///
  /// @param target path and query as sent
  public Optional<Room> protecting(String method, String host, String target) {
    for (PostgresRooms.Stored stored : snapshot.rooms().values()) {
      Room room = stored.room();
      if (room.mode() != Room.Mode.OFF && room.rules().protects(method, host, target)) {
        return Optional.of(room);
      }
    }
    return Optional.empty();
  }

  /// The first room, by id, that stands before this sale and is not off.
  public Optional<Room> before(ProductId sale) {
    return Optional.ofNullable(snapshot.bySale().get(sale));
  }

  /// The epoch at the creation of the room; 0 for an unknown room.
  long firstEpoch(String id) {
    PostgresRooms.Stored stored = snapshot.rooms().get(id);
    return stored == null ? 0 : stored.firstEpoch();
  }

  Collection<PostgresRooms.Stored> stored() {
    return snapshot.rooms().values();
  }

  /// Creates or changes a room. A repeat has the same result.
  ///
  /// @param change the new settings from the present ones, which are null for a new room; null to
  ///   leave a room as it is
  public Change put(String id, UnaryOperator<byte @Nullable []> change, String actor) {
    return seen(store.put(id, change, MAX_ROOMS, draw.get(), actor));
  }

  /// Begins a new epoch: all tokens of the room become invalid at once. Waiting visitors get new
  /// tokens for their places.
  ///
  /// @return the room; empty when there is none
  public Optional<Room> beginEpoch(String id, String actor) {
    boolean _ = seen(store.beginEpoch(id, 0, actor));
    return find(id);
  }

  /// Begins a new epoch because Redis has lost the room's state.
  void lost(Room room) {
    if (seen(store.beginEpoch(room.id(), room.epoch(), "state lost"))) {
      LOG.error(
          "Redis has lost the state of a room; a new epoch begins, and visitors queue again; room={}",
          room.id());
    }
  }

  void begun(Room room) {
    store.begun(room.id(), room.epoch());
  }

  public boolean delete(String id) {
    return seen(store.delete(id));
  }

  /// Reloads the snapshot; blocks. Throws ServiceUnavailable.
  void refresh() {
    try {
      load().await(FIRST_LOAD_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the rooms did not load", Duration.ofSeconds(1));
    }
  }

  @CanIgnoreReturnValue
  private <T> T seen(T outcome) {
    try {
      refresh();
    } catch (RuntimeException e) {
      LOG.warn("The rooms could not be read again; the next look shows the change", e);
    }
    return outcome;
  }

  private Future<Void> look(String stamp) {
    return stamp.equals(snapshot.stamp()) ? Future.succeededFuture() : load();
  }

  /// The stamp is read before the rooms, so that the next look sees a change in between.
  private Future<Void> load() {
    long load = loads.incrementAndGet();
    return store
        .stamp()
        .compose(
            stamp ->
                Future.all(store.all(), store.ended(MAX_ENDED))
                    .map(both -> Snapshot.of(stamp, byId(both.resultAt(0)), both.resultAt(1))))
        .map(
            fresh -> {
              adopt(load, fresh);
              return null;
            });
  }

  private static Map<String, PostgresRooms.Stored> byId(List<PostgresRooms.Stored> all) {
    Map<String, PostgresRooms.Stored> byId = new TreeMap<>();
    all.forEach(one -> byId.put(one.room().id(), one));
    return byId;
  }

  /// Two loads may overtake each other; the one that began earlier is dropped.
  ///
  /// @param load the number of the load on this node
  synchronized void adopt(long load, Snapshot fresh) {
    if (load > adopted) {
      adopted = load;
      snapshot = fresh;
    }
  }

  @Override
  public void close() {
    watch.close();
  }

  public sealed interface Change {
    record Saved(Room room) implements Change {}

    /// There is such a room, and it stays as it is.
    record Exists() implements Change {}

    record TooManyRooms() implements Change {}

    /// The settings ask for a draw before an opening, and the room may have admitted visitors.
    record CannotDraw() implements Change {}
  }
}
