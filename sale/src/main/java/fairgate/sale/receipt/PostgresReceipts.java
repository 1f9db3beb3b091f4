package fairgate.sale.receipt;

import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.receipt.Receipt.Event;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The tables `receipts` and `order_contacts`. Only a receipt that may reach somebody has a row;
/// others can be made from the ledger later. A worker takes a receipt by moving its next try ahead,
/// in one statement that skips locked rows. Blocks: for virtual threads.
///
/// @param isOn false makes no receipts of payments and refunds
record PostgresReceipts(PostgresDatabase database, boolean isOn) implements Receipts {
  /// How often a receipt is sent.
  private static final int MAX_ROUNDS = 10;

  private static final String ADD =
      """
      INSERT INTO receipts (id, order_id, event, session_id, user_id, quantity, amount, currency)
      SELECT id, order_id, event, session_id, user_id, quantity, amount, currency
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[],
        $7::bigint[], $8::text[], $9::boolean[])
        AS t (id, order_id, event, session_id, user_id, quantity, amount, currency, reachable)
      WHERE reachable OR EXISTS (SELECT FROM order_contacts c WHERE c.order_id = t.order_id)
      ON CONFLICT DO NOTHING
      """;

  /// The receipts of an order as [Receipt#of] makes them from its events.
  private static final String IN_LEDGER =
      """
      SELECT CASE e.kind WHEN 'refunded' THEN e.order_id || ':refunded:' || coalesce(e.payment_id, '')
          || ':' || coalesce(e.refund_part, '') ELSE e.order_id || ':paid' END AS id,
        e.order_id, CASE e.kind WHEN 'refunded' THEN 'refunded' ELSE 'paid' END AS event,
        o.session_id, o.user_id, e.quantity,
        CASE e.kind WHEN 'refunded' THEN coalesce(e.refund_amount, e.amount)
          ELSE e.amount END AS amount, o.currency,
        e.at, e.epoch, e.seq
      FROM order_events e
      JOIN orders o ON o.platform = 'fairgate' AND o.order_id = e.order_id
      WHERE e.order_id = $1
        AND (e.kind IN ('confirmed', 'refunded') OR (e.kind = 'reserved' AND e.status = 'paid'))
      """;

  private static final String ADD_NEWEST =
      """
      INSERT INTO receipts (id, order_id, event, session_id, user_id, quantity, amount, currency)
      SELECT id, order_id, event, session_id, user_id, quantity, amount, currency
      FROM (%s ORDER BY e.epoch DESC, e.seq DESC LIMIT 1) AS newest
      ON CONFLICT DO NOTHING
      """
          .formatted(IN_LEDGER);
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
        r.currency, r.rounds, coalesce((SELECT d.amount FROM orders o
          JOIN deposits d ON d.deposit_id = o.deposit_id
          WHERE o.platform = 'fairgate' AND o.order_id = r.order_id
            AND (r.event = 'paid' OR d.state = 'returned')), 0) AS deposit
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
      RETURNING now() AS given_at
      """;

  /// A receipt that was sent after a time is not sent again.
  private static final String AGAIN =
      """
      UPDATE receipts SET state = 'due', rounds = rounds + 1, due_at = now(), next_try_at = now(), ended_at = NULL
      WHERE id = $1 AND rounds < $2 AND state <> 'due' AND ($3::timestamptz IS NULL OR ended_at < $3)
      """;

  private static final String NEWEST =
      """
      SELECT id, state, rounds FROM receipts WHERE order_id = $1
      ORDER BY created_at DESC, id DESC LIMIT 1 FOR UPDATE
      """;

  /// A receipt without a row had nobody to go to, unless receipts were off.
  private static final String OF_ORDER =
      """
      SELECT event, state, channel, rounds, created_at, id FROM receipts WHERE order_id = $1
      UNION ALL
      (SELECT DISTINCT ON (id) event, 'no_contact', NULL, 1, at, id FROM (%s) AS made
       WHERE $2 AND at > now() - $3 * interval '1 millisecond'
         AND NOT EXISTS (SELECT FROM receipts r WHERE r.id = made.id)
       ORDER BY id, at)
      ORDER BY created_at, id LIMIT 100
      """
          .formatted(IN_LEDGER);

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

  private static final Duration RETENTION = Duration.ofDays(400);

  enum End {
    SENT,
    NO_CONTACT
  }

  /// An encrypted contact.
  ///
  /// @param channel `email` or `line`
  record SealedContact(String channel, Sealed box) {}

  /// Adds receipts to send; skips those added before, and those of buyers who cannot be reached.
  ///
  /// @param reachable whether the buyer may be reached even if the order has no contact
  void add(List<Receipt> receipts, Predicate<Receipt> reachable) {
    String[] ids = receipts.stream().map(Receipt::id).toArray(String[]::new);
    String[] orders = receipts.stream().map(r -> r.order().value()).toArray(String[]::new);
    String[] events = receipts.stream().map(r -> r.event().wireName()).toArray(String[]::new);
    String[] sessions = receipts.stream().map(Receipt::session).toArray(String[]::new);
    String[] users = receipts.stream().map(Receipt::user).toArray(String[]::new);
    Integer[] quantities = receipts.stream().map(Receipt::quantity).toArray(Integer[]::new);
    Long[] amounts = receipts.stream().map(r -> r.amount().minorUnits()).toArray(Long[]::new);
    String[] currencies = receipts.stream().map(r -> r.amount().currency()).toArray(String[]::new);
    Boolean[] contacts = receipts.stream().map(reachable::test).toArray(Boolean[]::new);
    database.update(
        ADD, ids, orders, events, sessions, users, quantities, amounts, currencies, contacts);
  }

  int endedLinks(OrderId order) {
    return database.first(ENDED_LINKS, row -> row.getInteger("ended"), order.value()).orElse(0);
  }

  @Override
  public void endLinks(OrderId order) {
    database.update(END_LINKS, order.value());
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

  /// Makes a pass rest while nothing is written to the database.
  Runnable resting(BooleanSupplier pass) {
    return database.changes().resting(pass);
  }

  /// Takes due receipts. No node gets one of them again before the lease ends.
  List<Receipt> take(int max, Duration lease) {
    return database.list(TAKE, PostgresReceipts::receipt, max, (double) lease.toMillis());
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
    database.update(POSTPONE, receipt.id(), (double) wait.toMillis());
  }

  Optional<SealedContact> contact(OrderId order) {
    return database.rows(CONTACT, order.value()).stream()
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
    database.update(KEEP_CONTACT, order.value(), contact.channel(), box.under(), box.box());
  }

  /// Replaces the contact of the order with one that the buyer gave, and sends the newest receipt
  /// to it, if there is one. False if the buyer has given as many as permitted.
  ///
  /// The contact is committed before the ledger is read, and `add` reads contacts after the ledger
  /// was written. So a payment at the same time is told by one of them, and only once.
  boolean give(OrderId order, SealedContact contact, int max) {
    Sealed box = contact.box();
    List<Row> given =
        database.rows(GIVE_CONTACT, order.value(), contact.channel(), box.under(), box.box(), max);
    if (given.isEmpty()) {
      return false;
    }
    OffsetDateTime at = given.getFirst().getOffsetDateTime("given_at");
    boolean _ = database.tx(db -> again(db, order, at));
    return true;
  }

  @Override
  public List<Status> of(OrderId order) {
    return database.rows(OF_ORDER, order.value(), isOn, (double) RETENTION.toMillis()).stream()
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
    return database.tx(db -> again(db, order, null));
  }

  /// @param before a receipt that was sent at this time or later is not sent again
  private boolean again(Db db, OrderId order, @Nullable OffsetDateTime before) {
    if (isOn && db.update(ADD_NEWEST, order.value()) == 1) {
      return true;
    }
    List<Row> newest = db.query(NEWEST, order.value());
    return !newest.isEmpty()
        && (newest.getFirst().getString("state").equals("due")
            || db.update(AGAIN, newest.getFirst().getString("id"), MAX_ROUNDS, before) == 1);
  }

  /// Gives up on receipts that could not be sent for this long.
  int giveUp(Duration age) {
    return database.update(FAIL_OLD, (double) age.toMillis());
  }

  void forgetOld() {
    database.update(FORGET, (double) RETENTION.toMillis());
    database.update(FORGET_CONTACTS, (double) RETENTION.toMillis());
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
        row.getLong("deposit"),
        row.getInteger("rounds"));
  }
}
