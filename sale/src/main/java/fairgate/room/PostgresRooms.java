package fairgate.room;

import fairgate.kernel.ProductId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.observe.Rows;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// The table `rooms`. Blocking calls are for virtual threads.
record PostgresRooms(PostgresDatabase database) {
  private static final String LOCK = "SELECT pg_advisory_xact_lock(4701780)";
  static final String STAMP =
      "SELECT count(*)::text || ' ' || coalesce(max(version), 0) FROM rooms";
  private static final String STORED =
      """
      SELECT id, settings::text AS settings, epoch, begun_epoch, first_epoch, version FROM rooms
      """;
  private static final String ALL = STORED + "ORDER BY id";
  private static final String ONE = STORED + "WHERE id = $1";
  private static final String IS_SALE = "SELECT 1 FROM products WHERE id = $1";
  private static final String ROOM_OF_SALE =
      "SELECT id FROM rooms WHERE settings ->> 'sale' = $1 AND id <> $2 ORDER BY id LIMIT 1";

  /// Whether visitors may have been admitted. The clocks of PostgreSQL and Redis may differ by ten
  /// seconds.
  private static final String OPENED =
      """
      SELECT opened OR settings ->> 'mode' = 'standby' OR (settings ->> 'mode' = 'on'
        AND coalesce((settings ->> 'opens_at')::timestamptz <= now() + interval '10 s', true))
      FROM rooms WHERE id = $1
      """;

  /// Whether the order of a room that opened at $2 is still to be drawn. Without visitors no draw
  /// is announced; then the room waits for $3 seconds.
  private static final String IS_TO_DRAW =
      """
      SELECT coalesce(
        (SELECT d.result IS NULL FROM room_draws d JOIN rooms r ON r.id = d.room AND d.epoch >= r.first_epoch
         WHERE d.room = $1 ORDER BY d.epoch DESC LIMIT 1),
        $2::timestamptz + make_interval(secs => $3) > clock_timestamp())
      """;

  private static final String IS_PAST = "SELECT $1::timestamptz <= clock_timestamp()";

  /// Whether a room that opens at $1, and whose order is drawn $2 seconds later, ends before that,
  /// at $3.
  private static final String IS_BEFORE_DRAW =
      """
      SELECT $3::timestamptz < greatest($1::timestamptz, clock_timestamp()) + make_interval(secs => $2)
      """;

  /// For the announcement of the draw, and for visitors to enter after the round.
  private static final Duration OPENING_MARGIN = Duration.ofMinutes(1);

  /// The epochs of a room begin with its first version, so they never repeat for an id.
  private static final String PUT =
      """
      WITH change AS (SELECT nextval('room_changes') AS number)
      INSERT INTO rooms (id, settings, changed_by, opened, version, epoch, first_epoch)
        SELECT $1, $2::text::jsonb, $3, $4, number, number, number FROM change
      ON CONFLICT (id) DO UPDATE SET settings = EXCLUDED.settings, changed_by = EXCLUDED.changed_by,
        changed_at = now(), version = EXCLUDED.version, opened = EXCLUDED.opened
      """;

  private static final String NEW_EPOCH =
      """
      WITH change AS (SELECT nextval('room_changes') AS number)
      UPDATE rooms SET epoch = number, version = number, changed_at = now(), changed_by = $3
      FROM change WHERE id = $1 AND ($2::bigint = 0 OR epoch = $2)
      """;
  private static final String BEGUN =
      """
      UPDATE rooms SET begun_epoch = $2, version = nextval('room_changes')
      WHERE id = $1 AND begun_epoch < $2
      """;
  private static final String DELETE =
      """
      WITH deleted AS (DELETE FROM rooms WHERE id = $1 RETURNING id, epoch, settings)
      INSERT INTO deleted_rooms (id, epoch, return_url)
        SELECT id, epoch, coalesce(settings ->> 'return_url', '') FROM deleted
      ON CONFLICT (id) DO UPDATE SET epoch = EXCLUDED.epoch, return_url = EXCLUDED.return_url,
        deleted_at = now(), cleared = false
      """;
  private static final String DELETED =
      "SELECT id, epoch FROM deleted_rooms WHERE NOT cleared ORDER BY deleted_at LIMIT $1";
  private static final String ENDED =
      """
      SELECT id, return_url FROM deleted_rooms WHERE return_url <> ''
      ORDER BY deleted_at DESC LIMIT $1
      """;

  /// A minute after the deletion every node knows of it, and writes no key of the room any more.
  private static final String FORGET =
      """
      UPDATE deleted_rooms SET cleared = true
      WHERE id = $1 AND epoch = $2 AND deleted_at < now() - interval '1 minute'
      """;

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(PostgresRooms.class), "rooms in PostgreSQL");

  /// A room, and whether Redis may be given a new state of it.
  ///
  /// @param firstEpoch the epoch at the creation of the room
  record Stored(Room room, boolean mayCreate, long firstEpoch) {}

  /// A room that was deleted.
  ///
  /// @param epoch its last one
  record Deleted(String id, long epoch) {}

  Future<String> stamp() {
    return database.query(STAMP).map(rows -> rows.getFirst().getString(0));
  }

  Future<List<Stored>> all() {
    return database
        .query(ALL)
        .map(rows -> ROWS.of(rows, PostgresRooms::stored, row -> row.getString("id")));
  }

  /// Writes a room.
  ///
  /// @param change the new settings from the present ones, which are locked meanwhile; the result
  ///   is read as a room, and what that throws is passed on. Null present settings for a new room,
  ///   and null new ones to leave a room as it is
  /// @param draw time between the sealing of a drawn order and its beacon round
  Rooms.Change put(
      String id,
      UnaryOperator<byte @Nullable []> change,
      int maxRooms,
      Duration draw,
      String actor) {
    return database.tx(
        db -> {
          var _ = db.query(LOCK);
          List<Row> rows = db.query(ONE, id);
          if (rows.isEmpty() && db.query(ALL).size() >= maxRooms) {
            return new Rooms.Change.TooManyRooms();
          }
          boolean opened = !rows.isEmpty() && db.query(OPENED, id).getFirst().getBoolean(0);
          Room had = rows.isEmpty() ? null : stored(rows.getFirst()).room();
          byte[] fresh = change.apply(had == null ? null : settings(rows));
          if (fresh == null) {
            return new Rooms.Change.Exists();
          }
          // Stored as read: with all defaults, so that a later default changes no room.
          Room room = RoomJson.read(id, fresh, 1, 1);
          checkSale(db, had, room);
          if (!canDraw(had, room, opened)) {
            return new Rooms.Change.CannotDraw();
          }
          if (!opened) {
            checkOpening(db, had, room);
          }
          Duration drawn = draw.plus(OPENING_MARGIN);
          boolean mayEndNow =
              had == null || !isSameClosing(had, room) || had.mode() == Room.Mode.OFF;
          if (!opened || (mayEndNow && isToDraw(db, room, drawn))) {
            checkClosing(db, had, room, drawn);
          }
          db.update(PUT, id, RoomJson.write(room).toString(), actor, opened);
          return new Rooms.Change.Saved(stored(db.query(ONE, id).getFirst()).room());
        });
  }

  /// Throws InvalidRequest for a sale that does not exist, or that has another room. A sale that
  /// stays as it is is not checked.
  private static void checkSale(Db db, @Nullable Room had, Room room) {
    ProductId sale = room.sale();
    if (sale == null || (had != null && sale.equals(had.sale()))) {
      return;
    }
    if (db.query(IS_SALE, sale.value()).isEmpty()) {
      throw new InvalidRequest("sale", "unknown_sale", sale.value());
    }
    List<Row> others = db.query(ROOM_OF_SALE, sale.value(), room.id());
    if (!others.isEmpty()) {
      throw new InvalidRequest("sale", "sale_has_room", others.getFirst().getString("id"));
    }
  }

  private static byte[] settings(List<Row> rows) {
    return rows.getFirst().getString("settings").getBytes(StandardCharsets.UTF_8);
  }

  /// A draw permutes all tickets, so it needs a room that has admitted nobody: visitors inside and
  /// those whose turn has come keep their numbers. An opening that stays as it is needs no draw.
  ///
  /// @param opened whether visitors may have been admitted
  private static boolean canDraw(@Nullable Room had, Room room, boolean opened) {
    Room.Opening opening = room.opening();
    if (opening.preQueue() == Room.PreQueue.ARRIVAL || opening.opensAt() == null) {
      return true;
    }
    return opened ? isSameOpening(had, room) : room.mode() != Room.Mode.STANDBY;
  }

  private static boolean isSameOpening(@Nullable Room had, Room room) {
    return had != null
        && had.opening().preQueue() == room.opening().preQueue()
        && Objects.equals(had.opening().opensAt(), room.opening().opensAt());
  }

  private static boolean isSameClosing(@Nullable Room had, Room room) {
    return had != null && Objects.equals(had.opening().closesAt(), room.opening().closesAt());
  }

  private static boolean isToDraw(Db db, Room room, Duration drawn) {
    Instant opensAt = room.opening().opensAt();
    return opensAt != null
        && db.query(
                IS_TO_DRAW, room.id(), opensAt.atOffset(ZoneOffset.UTC), (double) drawn.toSeconds())
            .getFirst()
            .getBoolean(0);
  }

  /// Throws InvalidRequest for a drawn opening in the past of a room that nobody could wait for: it
  /// would open at once, without a draw. A room with visitors who wait may open now.
  private static void checkOpening(Db db, @Nullable Room had, Room room) {
    Instant opensAt = room.opening().opensAt();
    boolean isWaiting = had != null && had.mode() == Room.Mode.ON;
    boolean staysOff = room.mode() == Room.Mode.OFF && isSameOpening(had, room);
    if (opensAt == null
        || room.opening().preQueue() != Room.PreQueue.DRAW
        || isWaiting
        || staysOff) {
      return;
    }
    if (db.query(IS_PAST, opensAt.atOffset(ZoneOffset.UTC)).getFirst().getBoolean(0)) {
      throw new InvalidRequest("opens_at", "draw_opening");
    }
  }

  /// Throws InvalidRequest for a room that would end before its order is drawn. A room that is off
  /// and keeps its opening is not checked.
  private static void checkClosing(Db db, @Nullable Room had, Room room, Duration drawn) {
    Instant opensAt = room.opening().opensAt();
    Instant closesAt = room.opening().closesAt();
    boolean staysOff = room.mode() == Room.Mode.OFF && isSameOpening(had, room);
    if (opensAt == null
        || closesAt == null
        || room.opening().preQueue() != Room.PreQueue.DRAW
        || staysOff) {
      return;
    }
    Row row =
        db.query(
                IS_BEFORE_DRAW,
                opensAt.atOffset(ZoneOffset.UTC),
                (double) drawn.toSeconds(),
                closesAt.atOffset(ZoneOffset.UTC))
            .getFirst();
    if (row.getBoolean(0)) {
      throw new InvalidRequest("closes_at", "draw_closing", drawn.toSeconds());
    }
  }

  /// Begins a new epoch.
  ///
  /// @param epoch only from this one; 0 for any
  /// @return whether it was begun
  boolean beginEpoch(String id, long epoch, String actor) {
    return database.update(NEW_EPOCH, id, epoch, actor) > 0;
  }

  /// Notes that Redis has a state of this epoch.
  void begun(String id, long epoch) {
    int _ = database.update(BEGUN, id, epoch);
  }

  boolean delete(String id) {
    return database.update(DELETE, id) > 0;
  }

  /// Deleted rooms whose keys may be in Redis, those that were deleted first.
  Future<List<Deleted>> deleted(int limit) {
    return database
        .query(DELETED, limit)
        .map(
            rows ->
                rows.stream()
                    .map(row -> new Deleted(row.getString("id"), row.getLong("epoch")))
                    .toList());
  }

  /// The return URLs of deleted rooms by id, the newest of them.
  Future<Map<String, String>> ended(int limit) {
    return database
        .query(ENDED, limit)
        .map(
            rows ->
                rows.stream()
                    .collect(
                        Collectors.toMap(
                            row -> row.getString("id"), row -> row.getString("return_url"))));
  }

  /// Notes that Redis has nothing of a deleted room any more. Has no effect soon after the
  /// deletion.
  Future<Void> forget(Deleted room) {
    return database.query(FORGET, room.id(), room.epoch()).mapEmpty();
  }

  private static Stored stored(Row row) {
    long epoch = row.getLong("epoch");
    byte[] settings = row.getString("settings").getBytes(StandardCharsets.UTF_8);
    return new Stored(
        RoomJson.read(row.getString("id"), settings, epoch, row.getLong("version")),
        row.getLong("begun_epoch") < epoch,
        row.getLong("first_epoch"));
  }
}
