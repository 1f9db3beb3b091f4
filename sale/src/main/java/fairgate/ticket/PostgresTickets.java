package fairgate.ticket;

import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.ticket.TicketService.TicketCounts;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The table `tickets`. Each change of a state is one statement. Blocks: for virtual threads.
record PostgresTickets(PostgresDatabase database) {
  private static final String JOINED =
      """
       FROM tickets t LEFT JOIN orders o ON o.platform = 'fairgate' AND o.order_id = t.order_id
        AND o.product_id = t.product_id
      """;

  /// Whether a payment of the ticket's order is disputed. Its ticket admits nobody meanwhile.
  private static final String DISPUTED =
      """
       EXISTS (SELECT FROM payment_disputes d WHERE d.order_id = t.order_id AND d.state = 'open')
      """;

  private static final String SELECT =
      """
      SELECT t.order_id, t.place, t.id, t.former_id, t.offers, t.offer_id, t.offered, t.holder_under, t.holder,
        t.taker, t.transferred_at, t.used_at, t.used_by, t.used_scan,
        coalesce(o.status = 'paid', false) AND NOT
      """
          + DISPUTED
          + " AS paid, "
          + DISPUTED
          + " AS disputed"
          + JOINED;

  /// Whether the order of the ticket `t` is paid and not disputed.
  private static final String PAID =
      """
      EXISTS (SELECT FROM orders o WHERE o.platform = 'fairgate' AND o.order_id = t.order_id
        AND o.product_id = t.product_id AND o.status = 'paid') AND NOT
      """
          + DISPUTED;

  private static final String ISSUE =
      """
      INSERT INTO tickets (order_id, product_id, place, id)
      SELECT o.order_id, o.product_id, n, ($3::text[])[n]
      FROM orders o, generate_series(1, least(o.quantity, cardinality($3::text[]))) n
      WHERE o.platform = 'fairgate' AND o.order_id = $1 AND o.product_id = $2 AND o.status = 'paid'
      ON CONFLICT DO NOTHING
      """;
  private static final String UNITS =
      """
      SELECT quantity FROM orders
      WHERE platform = 'fairgate' AND order_id = $1 AND product_id = $2 AND status = 'paid'
      """;
  private static final String OF_ORDER = SELECT + " WHERE t.order_id = $1 ORDER BY t.place";
  private static final String FIND = SELECT + " WHERE t.id = $1 OR t.former_id = $1";
  private static final String LINKED = SELECT + " WHERE t.id = $1 OR t.offer_id = $1";
  private static final String OFFER =
      """
      UPDATE tickets t SET offered = true, offers = offers + 1, holder_under = $3, holder = $4,
        offer_id = $6, changed_at = now()
      WHERE order_id = $1 AND place = $2 AND NOT offered AND offers < $5 AND used_at IS NULL
        AND transferred_at IS NULL AND
      """
          + PAID;
  private static final String WITHDRAW =
      """
      UPDATE tickets SET offered = false, holder_under = NULL, holder = NULL, changed_at = now()
      WHERE order_id = $1 AND place = $2 AND offered
      """;
  private static final String TAKE_OVER =
      """
      UPDATE tickets t SET offered = false, former_id = id, id = $3, taker = $4,
        transferred_at = now(), changed_at = now()
      WHERE id = $1 AND offered AND offers = $2 AND used_at IS NULL AND
      """
          + PAID;
  private static final String CHECK_IN =
      """
      UPDATE tickets t SET used_at = greatest(least($3, now()), now() - interval '7 days'),
        used_by = $4, used_scan = $5, offered = false, changed_at = now()
      WHERE id = $1 AND product_id = $2 AND used_at IS NULL AND
      """
          + PAID;
  private static final String COUNTS =
      """
      SELECT count(*) FILTER (WHERE o.status = 'paid' AND NOT
      """
          + DISPUTED
          + """
        ) AS valid, count(*) FILTER (WHERE t.used_at IS NOT NULL) AS used, now() AS at
      """
          + JOINED
          + " WHERE t.product_id = $1";
  private static final String BLOCKED =
      SELECT
          + """
           WHERE t.product_id = $1 AND coalesce(t.former_id, t.id) > $2
            AND (t.used_at IS NOT NULL OR t.former_id IS NOT NULL OR o.status IS DISTINCT FROM 'paid' OR
          """
          + DISPUTED
          + """
            ) AND greatest(t.changed_at, o.updated_at) >= $3
          ORDER BY coalesce(t.former_id, t.id) LIMIT $4
          """;
  private static final String ERASE =
      """
      UPDATE tickets SET holder_under = NULL, holder = NULL, offered = false, changed_at = now()
      WHERE order_id = $1 AND holder IS NOT NULL
      """;
  private static final String ERASE_OF_USERS =
      """
      UPDATE tickets t SET holder_under = NULL, holder = NULL, offered = false, changed_at = now()
      FROM orders o
      WHERE o.platform = 'fairgate' AND o.order_id = t.order_id AND o.user_id = ANY ($1)
        AND t.holder IS NOT NULL
      """;

  /// The units of an order; 0 unless it is paid.
  int units(OrderId order) {
    return database
        .first(UNITS, row -> row.getInteger("quantity"), order.value(), order.product().value())
        .orElse(0);
  }

  /// Makes the tickets of a paid order that it has not got yet.
  ///
  /// @param ids one for each unit
  void issue(OrderId order, List<TicketId> ids) {
    String[] values = ids.stream().map(TicketId::value).toArray(String[]::new);
    database.update(ISSUE, order.value(), order.product().value(), values);
  }

  List<Ticket> of(OrderId order) {
    return database.list(OF_ORDER, PostgresTickets::ticket, order.value());
  }

  /// The ticket with this id, or that had it before a transfer.
  Optional<Ticket> find(TicketId id) {
    return database.first(FIND, PostgresTickets::ticket, id.value());
  }

  /// The ticket with this id, or whose latest offer has it.
  Optional<Ticket> linked(TicketId id) {
    return database.first(LINKED, PostgresTickets::ticket, id.value());
  }

  /// Offers a ticket to a person. False if it is offered, transferred, checked in or void, or was
  /// offered as often as permitted.
  ///
  /// @param id of the offer
  boolean offer(OrderId order, int place, Sealed holder, int max, TicketId id) {
    return database.update(
            OFFER, order.value(), place, holder.under(), holder.box(), max, id.value())
        == 1;
  }

  /// Ends an offer. False if the ticket is not offered.
  boolean withdraw(OrderId order, int place) {
    return database.update(WITHDRAW, order.value(), place) == 1;
  }

  /// Transfers an offered ticket: it gets another id. False if this offer has ended.
  ///
  /// @param offer the number of the offer
  boolean takeOver(TicketId id, int offer, TicketId next, String taker) {
    return database.update(TAKE_OVER, id.value(), offer, next.value(), taker) == 1;
  }

  /// Checks a ticket in. False if it is used, void or unknown.
  ///
  /// @param use counts as at most seven days ago, and not later than now
  boolean checkIn(ProductId product, TicketId id, Ticket.Use use) {
    return database.update(
            CHECK_IN, id.value(), product.value(), time(use.at()), use.by(), use.scan())
        == 1;
  }

  TicketCounts counts(ProductId product) {
    Row row = database.rows(COUNTS, product.value()).getFirst();
    return new TicketCounts(
        row.getLong("valid"), row.getLong("used"), row.getOffsetDateTime("at").toInstant());
  }

  /// Tickets that must not be admitted again: checked in, transferred, or of orders that are not
  /// paid any more.
  ///
  /// @param since only those that changed at this time or later
  /// @param after the last id of the page before, the former one of a transferred ticket; empty for
  ///   the first page
  List<Ticket> blocked(ProductId product, Instant since, String after, int limit) {
    return database.list(
        BLOCKED, PostgresTickets::ticket, product.value(), after, time(since), limit);
  }

  /// Erases the names on the tickets of an order, and ends their offers.
  void erase(OrderId order) {
    database.update(ERASE, order.value());
  }

  /// Erases the names that these buyers gave.
  void eraseOf(Collection<String> users) {
    String[] all = users.toArray(String[]::new);
    database.update(ERASE_OF_USERS, (Object) all);
  }

  private static @Nullable TicketId id(@Nullable String text) {
    return text == null ? null : new TicketId(text);
  }

  private static Ticket ticket(Row row) {
    String under = row.getString("holder_under");
    OffsetDateTime used = row.getOffsetDateTime("used_at");
    return new Ticket(
        new OrderId(row.getString("order_id")),
        row.getInteger("place"),
        new TicketId(row.getString("id")),
        id(row.getString("former_id")),
        row.getInteger("offers"),
        id(row.getString("offer_id")),
        row.getBoolean("offered"),
        under == null ? null : new Sealed(under, row.getString("holder")),
        row.getString("taker"),
        instant(row.getOffsetDateTime("transferred_at")),
        used == null
            ? null
            : new Ticket.Use(
                used.toInstant(), row.getString("used_by"), row.getString("used_scan")),
        row.getBoolean("paid"),
        row.getBoolean("disputed"));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private static OffsetDateTime time(Instant at) {
    return at.atOffset(ZoneOffset.UTC);
  }
}
