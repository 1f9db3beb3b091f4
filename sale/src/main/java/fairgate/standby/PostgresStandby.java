package fairgate.standby;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.queue.ListTurnScript.Registration;
import fairgate.queue.ListTurnScript.Registrations;
import fairgate.queue.QueueService.Seating;
import fairgate.queue.Seat;
import fairgate.standby.StandbyEntry.State;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The table `standby_entries`. Blocks: for virtual threads.
record PostgresStandby(PostgresDatabase database) {
  static final String COLUMNS =
      "id, product_id, device, user_id, session_id, quantity, state, offer, order_id, seat,"
          + " decision, created_at";
  private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1, 153))";
  private static final String COUNTS =
      """
      SELECT count(*) FILTER (WHERE state IN ('waiting', 'offering')) AS live,
        count(*) FILTER (WHERE networks[1] = $2) AS of_address,
        count(*) FILTER (WHERE networks[2] = $3) AS of_network
      FROM standby_entries
      WHERE product_id = $1 AND state IN ('waiting', 'offering', 'offered')
      """;
  private static final String ADD =
      """
      INSERT INTO standby_entries
        (id, product_id, device, user_id, session_id, quantity, networks)
      VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
      """;
  private static final String SEAT =
      "UPDATE standby_entries SET seat = $2, decision = $3 WHERE id = $1";
  private static final String RESEAT =
      """
      UPDATE standby_entries e SET seat = $3 FROM (
        SELECT id, seat FROM standby_entries
        WHERE product_id = $1 AND decision = $2 AND state IN ('waiting', 'offering')
        ORDER BY id FOR UPDATE) old
      WHERE e.id = old.id RETURNING old.seat <> $3 AS moved
      """;
  private static final String NEWEST =
      "SELECT "
          + COLUMNS
          + """
           FROM standby_entries
          WHERE product_id = $1 AND (user_id = $2 OR device = $3) ORDER BY place DESC LIMIT 1
          """;
  private static final String AHEAD =
      """
      SELECT count(*) AS n FROM standby_entries e, standby_entries o
      WHERE o.id = $1 AND e.product_id = o.product_id AND e.state IN ('waiting', 'offering')
        AND (e.seat, e.place) < (o.seat, o.place)
      """;
  private static final String WITHDRAW =
      """
      UPDATE standby_entries SET state = 'withdrawn', ended_at = now()
      WHERE product_id = $1 AND (user_id = $2 OR device = $3) AND state = 'waiting'
      """;
  private static final String PRODUCTS =
      """
      SELECT product_id, count(*) AS live FROM standby_entries
      WHERE state IN ('waiting', 'offering') GROUP BY product_id
      """;
  private static final String FIRST =
      "SELECT "
          + COLUMNS
          + """
           FROM standby_entries
          WHERE product_id = $1
            AND (state = 'offering' OR (state = 'waiting' AND seat <> 'held'))
          ORDER BY state = 'waiting', seat, place LIMIT 1
          """;

  /// The most people whose registrations the queue is told.
  private static final int TOLD = 50;

  private static final String REGISTRATIONS =
      """
      SELECT created_at, seat, people FROM (
        SELECT created_at, seat, count(*) OVER () AS people,
          row_number() OVER (ORDER BY seat, place) - 1 AS ahead
        FROM standby_entries
        WHERE product_id = $1 AND state IN ('waiting', 'offering') AND seat <> 'held') list
      WHERE ahead % ((people + $2 - 1) / $2) = 0 ORDER BY ahead
      """;

  private static final String LOCK_PRODUCT = "SELECT 1 FROM products WHERE id = $1 FOR SHARE";

  /// Nobody is offered units while the sale sells by a draw: a draw promises all free units.
  private static final String BEGIN =
      """
      UPDATE standby_entries e SET state = 'offering', offer = coalesce($2, offer),
        next_at = now() + $3 * interval '1 millisecond'
      WHERE id = $1 AND state IN ('waiting', 'offering') AND next_at <= now()
        AND (state = 'offering' OR NOT EXISTS
          (SELECT FROM sale_policies s
            WHERE s.product_id = e.product_id AND s.active AND s.policy ->> 'pre_queue' = 'draw'))
        AND (state = 'offering' OR seat = '' OR (seat = 'behind' AND NOT EXISTS
          (SELECT FROM standby_entries o
            WHERE o.product_id = e.product_id AND o.state = 'waiting' AND o.seat = '')))
      """;

  private static final String ORDER_OF =
      """
      SELECT order_id FROM orders
      WHERE platform = 'fairgate' AND product_id = $1 AND session_id = $2
        AND status IN ('pending', 'paid')
      """;
  private static final String PUT_BACK =
      """
      UPDATE standby_entries
      SET state = 'waiting', next_at = now() + $3 * interval '1 millisecond'
      WHERE id = $1 AND state = 'offering' AND offer = $2
      """;
  private static final String OFFERED =
      """
      UPDATE standby_entries SET state = 'offered', order_id = $2, ended_at = now()
      WHERE id = $1 AND state = 'offering'
      """;
  private static final String REFUSED =
      """
      UPDATE standby_entries SET state = 'refused', reason = $2, ended_at = now()
      WHERE id = $1 AND state = 'offering'
      """;
  private static final String FORGET =
      "DELETE FROM standby_entries WHERE ended_at < now() - $1 * interval '1 millisecond'";

  /// The most entries of a list, and of one address and network, where those that got an offer
  /// count as well; 0 = no limit.
  record Limits(int live, int ofAddress, int ofNetwork) {}

  enum Added {
    ADDED,
    ALREADY,
    FULL,
    /// The network has as many entries as permitted.
    NETWORK
  }

  /// Adds an entry at the end of the list, and gives up the person's place in the queue in the same
  /// transaction: the seat of the place cannot change in between.
  ///
  /// @param networks hashes of the person's networks, from narrow to wide
  /// @param departure gives up the place and returns how the person is seated on the list; called
  ///   when nothing else prevents the entry, and may be repeated
  Added add(
      StandbyEntry entry, List<String> networks, Limits limits, Function<Db, Seating> departure) {
    return database.tx(
        db -> {
          var _ = db.query(LOCK, entry.product().value());
          Added refusal = refusal(db, entry, networks, limits);
          if (refusal != Added.ADDED) {
            return refusal;
          }
          int added =
              db.update(
                  ADD,
                  entry.id(),
                  entry.product().value(),
                  entry.device(),
                  entry.user(),
                  entry.session().value(),
                  entry.quantity(),
                  networks.toArray(String[]::new));
          if (added == 0) {
            return Added.ALREADY;
          }
          Seating seating = departure.apply(db);
          if (seating.decision() != null) {
            int _ = db.update(SEAT, entry.id(), seating.seat().wire(), seating.decision());
          }
          return Added.ADDED;
        });
  }

  /// Whether a decision seats its place still: no appeal against it was granted.
  boolean isSeated(Seating seating, BiPredicate<Db, String> pardons) {
    String decision = seating.decision();
    return decision != null && !database.reading(db -> pardons.test(db, decision));
  }

  /// Moves the entry that a decision has seated. In the seat [Seat#IN_ORDER] it is where it would
  /// have been without the decision. A repeat changes nothing.
  Seat.Move reseat(ProductId product, String decision, Seat seat) {
    return database.tx(
        db -> {
          // A registration that is under way has its entry after this lock.
          var _ = db.query(LOCK, product.value());
          return db.query(RESEAT, product.value(), decision, seat.wire()).stream()
              .map(row -> row.getBoolean("moved") ? Seat.Move.MOVED : Seat.Move.SAME)
              .reduce(Seat.Move.NONE, Seat.Move::or);
        });
  }

  private static Added refusal(Db db, StandbyEntry entry, List<String> networks, Limits limits) {
    String address = networks.isEmpty() ? null : networks.getFirst();
    String network = networks.size() < 2 ? null : networks.get(1);
    Row counts = db.query(COUNTS, entry.product().value(), address, network).getFirst();
    if (counts.getLong("live") >= limits.live()) {
      return Added.FULL;
    }
    boolean crowded =
        (limits.ofAddress() > 0 && counts.getLong("of_address") >= limits.ofAddress())
            || (limits.ofNetwork() > 0 && counts.getLong("of_network") >= limits.ofNetwork());
    return crowded ? Added.NETWORK : Added.ADDED;
  }

  Optional<StandbyEntry> newest(ProductId product, String user, String device) {
    return database.first(NEWEST, PostgresStandby::entry, product.value(), user, device);
  }

  long ahead(String id) {
    return database.rows(AHEAD, id).getFirst().getLong("n");
  }

  /// Ends the person's entry unless its units are being reserved. False if there is none.
  boolean withdraw(ProductId product, String user, String device) {
    return database.update(WITHDRAW, product.value(), user, device) > 0;
  }

  /// Makes a pass rest while nothing is written to the database.
  Runnable resting(BooleanSupplier pass) {
    return database.changes().resting(pass);
  }

  Map<ProductId, Long> products() {
    return database.rows(PRODUCTS).stream()
        .collect(
            Collectors.toMap(
                row -> new ProductId(row.getString("product_id")), row -> row.getLong("live")));
  }

  /// The entry whose turn it is: the one whose units are being reserved, else the first.
  Optional<StandbyEntry> first(ProductId product) {
    return database.first(FIRST, PostgresStandby::entry, product.value());
  }

  /// The people on the list in their order: all up to fifty, else some at equal distances.
  Registrations registrations(ProductId product) {
    List<Row> rows = database.rows(REGISTRATIONS, product.value(), TOLD);
    long people = rows.isEmpty() ? 0 : rows.getFirst().getLong("people");
    return new Registrations(
        people,
        rows.stream()
            .map(
                row ->
                    new Registration(
                        row.getOffsetDateTime("created_at").toInstant(),
                        Seat.of(row.getString("seat"))))
            .toList());
  }

  /// Makes a change unless it is somebody's turn on the list; whether it was made. A registration
  /// under way is seen here, or has its entry after the change.
  boolean ifNobody(ProductId product, Runnable change) {
    return database.tx(
        db -> {
          var _ = db.query(LOCK, product.value());
          boolean isNobody = db.query(FIRST, product.value()).isEmpty();
          if (isNobody) {
            change.run();
          }
          return isNobody;
        });
  }

  /// Marks an entry as being offered. False if another node works on it, or on another entry of the
  /// sale.
  ///
  /// @param offer a new session for a new try; null resumes the last one
  /// @param lease until when no other node works on it
  boolean begin(StandbyEntry entry, @Nullable SessionId offer, Duration lease) {
    try {
      String session = offer == null ? null : offer.value();
      return database.tx(
          db -> {
            // A change to a sale by a draw is seen here, or waits until this offer is seen there.
            var _ = db.query(LOCK_PRODUCT, entry.product().value());
            return db.update(BEGIN, entry.id(), session, (double) lease.toMillis()) == 1;
          });
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        return false;
      }
      throw refusal;
    }
  }

  /// The live order of a try in the ledger.
  Optional<OrderId> orderOf(ProductId product, SessionId offer) {
    return database.first(
        ORDER_OF, row -> new OrderId(row.getString("order_id")), product.value(), offer.value());
  }

  /// Puts an entry back to its place: the units went to somebody else.
  ///
  /// @param pause before the next try
  void putBack(StandbyEntry entry, SessionId offer, Duration pause) {
    int _ = database.update(PUT_BACK, entry.id(), offer.value(), (double) pause.toMillis());
  }

  /// Ends an entry: its units are reserved.
  void offered(StandbyEntry entry, OrderId order, Consumer<Db> also) {
    int _ =
        database.tx(
            db -> {
              int ended = db.update(OFFERED, entry.id(), order.value());
              if (ended == 1) {
                also.accept(db);
              }
              return ended;
            });
  }

  void refused(StandbyEntry entry, String reason) {
    int _ = database.update(REFUSED, entry.id(), reason);
  }

  /// Deletes entries that ended this long ago.
  void forget(Duration age) {
    int _ = database.update(FORGET, (double) age.toMillis());
  }

  static State state(Row row) {
    return State.valueOf(row.getString("state").toUpperCase(Locale.ROOT));
  }

  static StandbyEntry entry(Row row) {
    String offer = row.getString("offer");
    String order = row.getString("order_id");
    return new StandbyEntry(
        row.getString("id"),
        new ProductId(row.getString("product_id")),
        row.getString("device"),
        row.getString("user_id"),
        new SessionId(row.getString("session_id")),
        row.getInteger("quantity"),
        state(row),
        offer == null ? null : new SessionId(offer),
        order == null ? null : new OrderId(order),
        Seat.of(row.getString("seat")),
        row.getString("decision"),
        row.getOffsetDateTime("created_at").toInstant());
  }
}
