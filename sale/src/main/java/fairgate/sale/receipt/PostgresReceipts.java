package fairgate.sale.receipt;

import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.receipt.Receipt.Event;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The tables `receipts` and `order_contacts`. A worker takes a receipt by moving its next try
/// ahead, in one short transaction that skips locked rows. Blocks: for virtual threads.
final class PostgresReceipts implements Receipts {
  /// How often a receipt is sent.
  private static final int MAX_ROUNDS = 10;

  private static final String ADD =
      """
      INSERT INTO receipts (id, order_id, event, session_id, user_id, quantity, amount, currency)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[],
        $7::bigint[], $8::text[])
      ON CONFLICT DO NOTHING
      """;
  private static final String ADD_ONE =
      """
      INSERT INTO receipts (id, order_id, event, session_id, user_id, quantity, amount, currency)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
      """;
  private static final String TAKE =
      """
      WITH next AS MATERIALIZED (
        SELECT id FROM receipts WHERE state = 'due' AND next_try_at <= now()
        ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE receipts r SET next_try_at = now() + $2 * interval '1 millisecond'
      FROM next WHERE r.id = next.id
      RETURNING r.id, r.order_id, r.event, r.session_id, r.user_id, r.quantity, r.amount,
        r.currency, r.rounds
      """;
  private static final String END =
      """
      UPDATE receipts SET state = $3, channel = $4, ended_at = now()
      WHERE id = $1 AND rounds = $2 AND state = 'due'
      """;
  private static final String POSTPONE =
      "UPDATE receipts SET next_try_at = now() + $2 * interval '1 millisecond' WHERE id = $1";
  private static final String CONTACT =
      "SELECT channel, sealed_under, sealed FROM order_contacts WHERE order_id = $1";
  private static final String KEEP_CONTACT =
      """
      INSERT INTO order_contacts (order_id, channel, sealed_under, sealed) VALUES ($1, $2, $3, $4)
      ON CONFLICT DO NOTHING
      """;
  private static final String GIVE_CONTACT =
      """
      INSERT INTO order_contacts AS c (order_id, channel, sealed_under, sealed, changes)
      VALUES ($1, $2, $3, $4, 1)
      ON CONFLICT (order_id) DO UPDATE SET channel = excluded.channel,
        sealed_under = excluded.sealed_under, sealed = excluded.sealed, changes = c.changes + 1
      WHERE c.changes < $5
      """;
  private static final String AGAIN =
      """
      UPDATE receipts SET state = 'due', rounds = rounds + 1, due_at = now(), next_try_at = now(), ended_at = NULL
      WHERE id = $1 AND rounds < $2 AND state <> 'due'
      """;
  private static final String NEWEST =
      """
      SELECT id, state, rounds FROM receipts WHERE order_id = $1
      ORDER BY created_at DESC, id DESC LIMIT 1 FOR UPDATE
      """;
  private static final String OF_ORDER =
      """
      SELECT event, state, channel, rounds, created_at FROM receipts WHERE order_id = $1
      ORDER BY created_at, id LIMIT 100
      """;
  private static final String FAIL_OLD =
      """
      UPDATE receipts SET state = 'failed', ended_at = now()
      WHERE state = 'due' AND due_at < now() - $1 * interval '1 millisecond'
      """;
  private static final String FORGET =
      "DELETE FROM receipts WHERE created_at < now() - $1 * interval '1 millisecond'";
  private static final String ENDED_LINKS = "SELECT ended FROM order_links WHERE order_id = $1";
  private static final String END_LINKS =
      """
      INSERT INTO order_links AS l (order_id, ended) VALUES ($1, 1)
      ON CONFLICT (order_id) DO UPDATE SET ended = l.ended + 1, ended_at = now()
      """;
  private static final String FORGET_CONTACTS =
      "DELETE FROM order_contacts WHERE created_at < now() - $1 * interval '1 millisecond'";

  private final PostgresDatabase database;

  PostgresReceipts(PostgresDatabase database) {
    this.database = database;
  }

  /// How a receipt ends.
  enum End {
    SENT,
    NO_CONTACT
  }

  /// An encrypted contact.
  ///
  /// @param channel `email` or `line`
  record SealedContact(String channel, Sealed box) {}

  /// Adds receipts to send; skips those added before.
  void add(List<Receipt> receipts) {
    String[] ids = receipts.stream().map(Receipt::id).toArray(String[]::new);
    String[] orders = receipts.stream().map(r -> r.order().value()).toArray(String[]::new);
    String[] events = receipts.stream().map(r -> r.event().wireName()).toArray(String[]::new);
    String[] sessions = receipts.stream().map(Receipt::session).toArray(String[]::new);
    String[] users = receipts.stream().map(Receipt::user).toArray(String[]::new);
    Integer[] quantities = receipts.stream().map(Receipt::quantity).toArray(Integer[]::new);
    Long[] amounts = receipts.stream().map(r -> r.amount().minorUnits()).toArray(Long[]::new);
    String[] currencies = receipts.stream().map(r -> r.amount().currency()).toArray(String[]::new);
    int _ =
        database.tx(
            db ->
                db.update(
                    ADD, ids, orders, events, sessions, users, quantities, amounts, currencies));
  }

  /// How often the links of an order were ended.
  int endedLinks(OrderId order) {
    return database.reading(db -> db.query(ENDED_LINKS, order.value())).stream()
        .map(row -> row.getInteger("ended"))
        .findFirst()
        .orElse(0);
  }

  @Override
  public void endLinks(OrderId order) {
    int _ = database.tx(db -> db.update(END_LINKS, order.value()));
  }

  /// Adds a message about an order within a transaction, unless it was added before.
  static void add(Db db, Receipt receipt) {
    db.update(
        ADD_ONE,
        receipt.id(),
        receipt.order().value(),
        receipt.event().wireName(),
        receipt.session(),
        receipt.user(),
        receipt.quantity(),
        receipt.amount().minorUnits(),
        receipt.amount().currency());
  }

  /// Takes due receipts. No node gets one of them again before the lease ends.
  List<Receipt> take(int max, Duration lease) {
    return database.tx(db -> db.query(TAKE, max, (double) lease.toMillis())).stream()
        .map(PostgresReceipts::receipt)
        .toList();
  }

  /// Ends a receipt within a transaction; false if it has ended before.
  static boolean end(Db db, Receipt receipt, End end, String channel) {
    return db.update(
            END,
            receipt.id(),
            receipt.round(),
            end.name().toLowerCase(Locale.ROOT),
            channel.isEmpty() ? null : channel)
        == 1;
  }

  void end(Receipt receipt, End end, String channel) {
    boolean _ = database.tx(db -> end(db, receipt, end, channel));
  }

  void postpone(Receipt receipt, Duration wait) {
    int _ = database.tx(db -> db.update(POSTPONE, receipt.id(), (double) wait.toMillis()));
  }

  Optional<SealedContact> contact(OrderId order) {
    return database.reading(db -> db.query(CONTACT, order.value())).stream()
        .map(
            row ->
                new SealedContact(
                    row.getString("channel"),
                    new Sealed(row.getString("sealed_under"), row.getString("sealed"))))
        .findFirst();
  }

  /// Keeps a contact for later receipts of the order, unless it has one.
  void keep(OrderId order, SealedContact contact) {
    Sealed box = contact.box();
    int _ =
        database.tx(
            db ->
                db.update(KEEP_CONTACT, order.value(), contact.channel(), box.under(), box.box()));
  }

  /// Replaces the contact of the order with one that the buyer gave, and sends the newest receipt
  /// to it, if there is one. False if the buyer has given as many as permitted.
  boolean give(OrderId order, SealedContact contact, int max) {
    Sealed box = contact.box();
    return database.tx(
        db -> {
          int changed =
              db.update(
                  GIVE_CONTACT, order.value(), contact.channel(), box.under(), box.box(), max);
          if (changed == 1) {
            boolean _ = again(db, order);
          }
          return changed == 1;
        });
  }

  @Override
  public List<Status> of(OrderId order) {
    return database.reading(db -> db.query(OF_ORDER, order.value())).stream()
        .map(
            row ->
                new Status(
                    row.getString("event"),
                    row.getString("state"),
                    row.getString("channel"),
                    row.getInteger("rounds"),
                    row.getOffsetDateTime("created_at").toInstant()))
        .toList();
  }

  @Override
  public boolean resend(OrderId order) {
    return database.tx(db -> again(db, order));
  }

  private static boolean again(Db db, OrderId order) {
    List<Row> newest = db.query(NEWEST, order.value());
    return !newest.isEmpty()
        && (newest.getFirst().getString("state").equals("due")
            || db.update(AGAIN, newest.getFirst().getString("id"), MAX_ROUNDS) == 1);
  }

  /// Gives up on receipts that could not be sent for this long.
  int giveUp(Duration age) {
    return database.tx(db -> db.update(FAIL_OLD, (double) age.toMillis()));
  }

  /// Deletes receipts and contacts of this age.
  void forget(Duration age) {
    int _ =
        database.tx(
            db ->
                db.update(FORGET, (double) age.toMillis())
                    + db.update(FORGET_CONTACTS, (double) age.toMillis()));
  }

  private static Receipt receipt(Row row) {
    return new Receipt(
        row.getString("id"),
        new OrderId(row.getString("order_id")),
        Event.valueOf(row.getString("event").toUpperCase(Locale.ROOT)),
        row.getString("session_id"),
        row.getString("user_id"),
        row.getInteger("quantity"),
        new Money(row.getLong("amount"), row.getString("currency")),
        row.getInteger("rounds"));
  }
}
