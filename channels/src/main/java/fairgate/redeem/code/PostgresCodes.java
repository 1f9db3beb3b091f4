package fairgate.redeem.code;

import fairgate.platform.observe.Rows;
import fairgate.platform.postgres.Db;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// The tables `redemption_codes` and `code_events`, inside the caller's transaction. An unused code
/// of a refunded order counts as revoked from the refund on, even before its row is updated.
final class PostgresCodes {
  private static final String SELECT =
      """
      SELECT id, product_id, platform, order_id, last4, source, state, duration_days, starts,
             created_at, assigned_at, activated_at, activated_by, expires_at, replaced_by,
             state = 'assigned' AND EXISTS (
               SELECT FROM orders o WHERE o.platform = redemption_codes.platform
                 AND o.order_id = redemption_codes.order_id
                 AND o.product_id = redemption_codes.product_id AND o.status = 'refunded') AS refunded
      FROM redemption_codes
      """;
  private static final String BY_ID = SELECT + "WHERE id = $1";
  private static final String BY_ID_LOCKED = BY_ID + " FOR UPDATE";
  private static final String BY_HASH = SELECT + "WHERE code_hash = ANY($1::bytea[])";
  private static final String BY_HASH_LOCKED = BY_HASH + " FOR UPDATE";
  private static final String PREDECESSOR =
      "SELECT id FROM redemption_codes WHERE replaced_by = $1";
  private static final String PAGE =
      SELECT
          + """
          WHERE id < $5 AND ($1::text IS NULL OR last4 = $1) AND ($2::text IS NULL OR order_id = $2)
            AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR product_id = $4)
          ORDER BY id DESC LIMIT $6
          """;
  private static final String EVENTS =
      "SELECT from_state, to_state, actor, reason, at FROM code_events WHERE code_id = $1 ORDER BY"
          + " id";
  private static final String TELL =
      """
      INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
      VALUES ($1, $2, $3, $4, $5, $6)
      """;
  private static final String ACTIVATE =
      """
      UPDATE redemption_codes SET state = 'activated', activated_at = $2, activated_by = $3,
        expires_at = CASE WHEN starts = 'first_use'
          THEN $2::timestamptz + duration_days * interval '1 day' ELSE expires_at END
      WHERE id = $1
      """;
  private static final String END =
      "UPDATE redemption_codes SET state = $2, replaced_by = $3 WHERE id = $1";
  private static final String SUCCEED =
      """
      INSERT INTO redemption_codes
        (product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state,
         duration_days, starts, device_id, created_at, assigned_at, expires_at)
      SELECT product_id, platform, order_id, $2, $3, $4, $5, 'generated', 'assigned', duration_days,
        CASE WHEN state = 'activated' THEN 'claim' ELSE starts END, device_id, $6, $6, expires_at
      FROM redemption_codes WHERE id = $1 RETURNING id
      """;
  private static final String HAND_ON =
      "UPDATE order_redemptions SET code_id = $2 WHERE code_id = $1";

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(PostgresCodes.class), "redemption codes");

  private PostgresCodes() {}

  static Optional<Code> find(Db db, long id, boolean locked) {
    return first(db.query(locked ? BY_ID_LOCKED : BY_ID, id));
  }

  static Optional<Code> find(Db db, List<byte[]> hashes, boolean locked) {
    Object all = hashes.stream().map(Buffer::buffer).toArray(Buffer[]::new);
    return first(db.query(locked ? BY_HASH_LOCKED : BY_HASH, all));
  }

  static Optional<Long> predecessor(Db db, long id) {
    return db.query(PREDECESSOR, id).stream().findFirst().map(row -> row.getLong(0));
  }

  static CodeService.CodePage page(Db db, CodeService.CodeSearch search) {
    Code.State state = search.state();
    List<Row> rows =
        db.query(
            PAGE,
            search.last4(),
            search.orderId(),
            state == null ? null : state.word(),
            search.productId(),
            search.before(),
            search.max());
    return new CodeService.CodePage(
        ROWS.of(rows, PostgresCodes::code, row -> row.getLong("id")),
        rows.size() == search.max() ? rows.getLast().getLong("id") : null);
  }

  static List<Code.Event> events(Db db, long id) {
    return db.query(EVENTS, id).stream().map(PostgresCodes::event).toList();
  }

  static void activate(Db db, Code code, String device, Instant now) {
    db.update(ACTIVATE, code.id(), utc(now), device);
    tell(db, code.id(), code.state(), Code.State.ACTIVATED, "device:" + device, "first use", now);
  }

  static void end(Db db, Code code, Code.State state, @Nullable Long replacedBy) {
    db.update(END, code.id(), state.word(), replacedBy);
  }

  /// A new code in the place of an old one, for the same order and time.
  static long succeed(Db db, Code old, CodeVault.Sealed fresh, Instant now) {
    long id =
        db.query(
                SUCCEED,
                old.id(),
                Buffer.buffer(fresh.hash()),
                Buffer.buffer(fresh.box()),
                fresh.keyId(),
                fresh.last4(),
                utc(now))
            .getFirst()
            .getLong(0);
    db.update(HAND_ON, old.id(), id);
    return id;
  }

  static void tell(
      Db db,
      long id,
      Code.@Nullable State from,
      Code.State to,
      String actor,
      @Nullable String reason,
      Instant at) {
    db.update(TELL, id, from == null ? null : from.word(), to.word(), actor, reason, utc(at));
  }

  private static Optional<Code> first(List<Row> rows) {
    return rows.stream().findFirst().map(PostgresCodes::code);
  }

  private static Code code(Row row) {
    return new Code(
        row.getLong("id"),
        row.getString("product_id"),
        row.getBoolean("refunded") ? Code.State.REVOKED : Code.State.of(row.getString("state")),
        row.getString("last4"),
        row.getString("source").equals("generated"),
        new Code.Bound(row.getString("platform"), row.getString("order_id")),
        new Code.Life(
            row.getInteger("duration_days"),
            row.getString("starts"),
            row.getOffsetDateTime("created_at").toInstant(),
            instant(row.getOffsetDateTime("assigned_at")),
            instant(row.getOffsetDateTime("activated_at")),
            row.getString("activated_by"),
            instant(row.getOffsetDateTime("expires_at")),
            row.getLong("replaced_by")));
  }

  private static Code.Event event(Row row) {
    String from = row.getString(0);
    return new Code.Event(
        from == null ? null : Code.State.of(from),
        Code.State.of(row.getString(1)),
        row.getString(2),
        row.getString(3),
        row.getOffsetDateTime(4).toInstant());
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
