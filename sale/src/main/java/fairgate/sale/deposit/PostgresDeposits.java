package fairgate.sale.deposit;

import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.payment.Payment;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/// The table of deposits. Its triggers refuse a second end, make a refund of each deposit that is
/// returned, and end a deposit with its order. Blocks: for virtual threads.
record PostgresDeposits(PostgresDatabase database) {
  private static final String OPEN =
      """
      INSERT INTO deposits (deposit_id, product_id, owner, amount, currency, passed, pay_by, next_try_at)
      SELECT $1, $2, $3, $4::bigint, $5, $6, at, at
      FROM (SELECT now() + $7 * interval '1 millisecond' AS at) AS deadline
      ON CONFLICT (product_id, owner) WHERE state IN ('pending', 'paid') DO NOTHING
      """;
  private static final String OPEN_OF =
      """
      SELECT * FROM deposits WHERE product_id = $1 AND owner = ANY($2::text[])
        AND state IN ('pending', 'paid') ORDER BY state, created_at LIMIT 1
      """;
  private static final String FIND = "SELECT * FROM deposits WHERE deposit_id = $1";
  private static final String OF_PAYMENT =
      "SELECT * FROM deposits WHERE payment_id = $1 ORDER BY created_at";
  private static final String OF_ORDER =
      """
      SELECT d.* FROM orders o JOIN deposits d ON d.deposit_id = o.deposit_id
      WHERE o.platform = 'fairgate' AND o.order_id = $1
      """;
  private static final String LOCK = FIND + " FOR UPDATE";
  private static final String LOCK_FREE =
      "SELECT 1 FROM deposits WHERE deposit_id = $1 AND state = 'paid' AND entry IS NULL FOR UPDATE";
  private static final String PAY =
      """
      UPDATE deposits SET payment_id = $2, paid_at = now(), updated_at = now(),
        state = CASE state WHEN 'pending' THEN 'paid' ELSE 'returned' END
      WHERE deposit_id = $1 AND state IN ('pending', 'lapsed')
      """;
  private static final String REFUND =
      """
      INSERT INTO refunds (order_id, payment_id, amount, currency, state, cause)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
      """;
  private static final String LAPSE =
      "UPDATE deposits SET state = 'lapsed', updated_at = now() WHERE deposit_id = $1 AND state = 'pending'";
  private static final String TAKE_DUE =
      """
      WITH due AS MATERIALIZED (
        SELECT deposit_id FROM deposits WHERE state = 'pending' AND next_try_at <= now()
        ORDER BY next_try_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      UPDATE deposits d SET next_try_at = now() + $2 * interval '1 millisecond'
      FROM due WHERE d.deposit_id = due.deposit_id RETURNING d.deposit_id
      """;
  private static final String PRODUCTS =
      "SELECT DISTINCT product_id FROM deposits WHERE state IN ('pending', 'paid')";
  private static final String PAID =
      """
      SELECT * FROM deposits WHERE product_id = $1 AND state = 'paid' AND deposit_id > $2
      ORDER BY deposit_id LIMIT $3
      """;

  /// Those whose draw is over, whose entry takes no part, or that stand for no entry although none
  /// can be made any more.
  private static final String PAID_IN_DRAW =
      """
      SELECT * FROM deposits d WHERE product_id = $1 AND state = 'paid' AND deposit_id > $2
        AND CASE WHEN entry IS NULL
          THEN NOT EXISTS (SELECT 1 FROM draws w WHERE w.product_id = $1 AND w.state = 'open')
          ELSE EXISTS (
            SELECT 1 FROM draw_entries e JOIN draws w ON w.id = e.draw
            LEFT JOIN draw_absences a ON a.draw = e.draw AND a.index = e.index
            WHERE e.session = d.entry AND (a.kind IS NOT NULL OR w.state IN ('ended', 'aborted')))
          END
      ORDER BY deposit_id LIMIT $3
      """;

  private static final String DRAW_IS_OPEN =
      "SELECT 1 FROM draws WHERE product_id = $1 AND state = 'open'";
  private static final String RETURN =
      """
      UPDATE deposits SET state = 'returned', updated_at = now()
      WHERE deposit_id = ANY($1::text[]) AND state = 'paid'
      """;
  private static final String PASS =
      """
      UPDATE deposits SET state = passed, updated_at = now()
      WHERE deposit_id = ANY($1::text[]) AND state = 'paid'
      """;
  private static final String REVERSED =
      """
      UPDATE deposits SET state = 'returned', updated_at = now()
      WHERE deposit_id = $1 AND payment_id = $2 AND amount <= $3 AND state IN ('paid', 'counted')
      """;
  private static final String SUMS =
      """
      SELECT d.state, count(*) AS n, sum(d.amount)::bigint AS amount, count(r.order_id) AS back,
        coalesce(sum(r.amount), 0)::bigint AS amount_back
      FROM deposits d LEFT JOIN refunds r ON r.order_id = d.deposit_id
        AND r.payment_id = d.payment_id AND r.state = 'done'
      WHERE d.product_id = $1 GROUP BY d.state
      """;

  enum Paid {
    PAID,
    /// It was paid with this payment before.
    ALREADY,
    /// The payment goes back: the deposit had lapsed or was paid with another one, or the amount is
    /// wrong.
    RETURNED,
    UNKNOWN
  }

  /// Returns the open deposit of a buyer, or opens one.
  ///
  /// @param owners all names of the buyer, of which the first one owns a new deposit
  Deposit open(OrderId id, List<String> owners, Money amount, DepositEnd passed, Duration time) {
    return database.tx(
        db -> {
          Optional<Deposit> standing = openOf(db, id.product(), owners);
          if (standing.isPresent()) {
            return standing.get();
          }
          db.update(
              OPEN,
              id.value(),
              id.product().value(),
              owners.getFirst(),
              amount.minorUnits(),
              amount.currency(),
              passed.word(),
              (double) time.toMillis());
          // Another request of the same buyer may have been faster.
          return openOf(db, id.product(), owners).orElseThrow();
        });
  }

  private static Optional<Deposit> openOf(Db db, ProductId product, List<String> owners) {
    Object names = owners.toArray(String[]::new);
    return db.first(OPEN_OF, PostgresDeposits::deposit, product.value(), names);
  }

  Optional<Deposit> openOf(ProductId product, List<String> owners) {
    return owners.isEmpty() ? Optional.empty() : database.tx(db -> openOf(db, product, owners));
  }

  /// As `openOf`; never blocks.
  Future<Optional<Deposit>> findOpen(ProductId product, List<String> owners) {
    Object names = owners.toArray(String[]::new);
    return database.queryFirst(OPEN_OF, PostgresDeposits::deposit, product.value(), names);
  }

  /// Never blocks.
  Future<Optional<Deposit>> find(OrderId id) {
    return database.queryFirst(FIND, PostgresDeposits::deposit, id.value());
  }

  List<Deposit> ofPayment(String payment) {
    return database.list(OF_PAYMENT, PostgresDeposits::deposit, payment);
  }

  Optional<Deposit> ofOrder(OrderId order) {
    return database.first(OF_ORDER, PostgresDeposits::deposit, order.value());
  }

  Paid pay(OrderId id, Payment payment) {
    return database.tx(
        db -> {
          Deposit deposit = db.first(LOCK, PostgresDeposits::deposit, id.value()).orElse(null);
          if (deposit == null) {
            return Paid.UNKNOWN;
          }
          if (payment.id().equals(deposit.payment())) {
            return deposit.state() == Deposit.State.RETURNED ? Paid.RETURNED : Paid.ALREADY;
          }
          if (!payment.amount().equals(deposit.amount())) {
            refund(db, id, payment, "due", "amount");
            return Paid.RETURNED;
          }
          if (db.update(PAY, id.value(), payment.id()) == 0) {
            refund(db, id, payment, "due", "second");
            return Paid.RETURNED;
          }
          return deposit.state() == Deposit.State.PENDING ? Paid.PAID : Paid.RETURNED;
        });
  }

  /// Records that the provider returned a payment by itself. False when nothing changed. A node
  /// that stops after the end in Redis leaves all of it to the provider's next message.
  ///
  /// @param payment with all that went back so far; a part changes nothing
  /// @param inRedis ends the deposit in Redis, before PostgreSQL is told
  boolean reversed(OrderId id, Payment payment, String cause, Runnable inRedis) {
    return database.tx(
        db -> {
          List<Row> rows = db.query(LOCK, id.value());
          if (rows.isEmpty() || !deposit(rows.getFirst()).amount().equals(payment.amount())) {
            return false;
          }
          refund(db, id, payment, "done", cause);
          if (db.update(REVERSED, id.value(), payment.id(), payment.amount().minorUnits()) == 0) {
            return false;
          }
          inRedis.run();
          return true;
        });
  }

  private static void refund(Db db, OrderId id, Payment payment, String state, String cause) {
    Money money = payment.amount();
    db.update(REFUND, id.value(), payment.id(), money.minorUnits(), money.currency(), state, cause);
  }

  /// Ends a deposit that was not paid; returns whether it was open.
  boolean lapse(OrderId id) {
    return database.update(LAPSE, id.value()) > 0;
  }

  /// Takes deposits whose time to pay is over. No node gets one of them again before the lease
  /// ends.
  List<OrderId> takeDue(int max, Duration lease) {
    return database.list(
        TAKE_DUE, row -> new OrderId(row.getString("deposit_id")), max, (double) lease.toMillis());
  }

  List<ProductId> products() {
    return database.list(PRODUCTS, row -> new ProductId(row.getString("product_id")));
  }

  /// Paid deposits of a sale that have not ended, by id.
  ///
  /// @param after the last one of the page before; empty for the first page
  List<Deposit> paid(ProductId product, String after, int max) {
    return database.list(PAID, PostgresDeposits::deposit, product.value(), after, max);
  }

  /// As `paid`, of a sale by draw: those with which nobody can enter or win any more.
  List<Deposit> paidInOverDraw(ProductId product, String after, int max) {
    return database.list(PAID_IN_DRAW, PostgresDeposits::deposit, product.value(), after, max);
  }

  /// Whether people can enter a draw of the sale. Never blocks.
  Future<Boolean> isDrawOpen(ProductId product) {
    return database.query(DRAW_IS_OPEN, product.value()).map(rows -> !rows.isEmpty());
  }

  /// Ends a paid deposit as Redis says, unless an entry of a draw has it. No entry can take it
  /// meanwhile.
  void endUnused(OrderId id, Supplier<EndDepositsScript.End> inRedis) {
    Object ids = new String[] {id.value()};
    int _ =
        database.tx(
            db -> {
              if (db.query(LOCK_FREE, id.value()).isEmpty()) {
                return 0;
              }
              return switch (inRedis.get()) {
                case RETURN -> db.update(RETURN, ids);
                case PASSED -> db.update(PASS, ids);
                case WAIT, ORDER, GONE, MISSING -> 0;
              };
            });
  }

  /// Returns deposits that are paid; those that have ended stay as they are.
  int giveBack(Collection<OrderId> ids) {
    return end(RETURN, ids);
  }

  /// Ends deposits of buyers who let the turn pass, as each was told.
  int pass(Collection<OrderId> ids) {
    return end(PASS, ids);
  }

  private int end(String sql, Collection<OrderId> ids) {
    Object values = ids.stream().map(OrderId::value).toArray(String[]::new);
    return ids.isEmpty() ? 0 : database.update(sql, values);
  }

  Map<Deposit.State, DepositService.Sum> sums(ProductId product) {
    Map<Deposit.State, DepositService.Sum> sums = new EnumMap<>(Deposit.State.class);
    for (Row row : database.rows(SUMS, product.value())) {
      sums.put(
          Deposit.State.of(row.getString("state")),
          new DepositService.Sum(
              row.getLong("n"),
              row.getLong("amount"),
              row.getLong("back"),
              row.getLong("amount_back")));
    }
    return sums;
  }

  private static Deposit deposit(Row row) {
    UUID entry = row.getUUID("entry");
    OffsetDateTime paidAt = row.getOffsetDateTime("paid_at");
    return new Deposit(
        new OrderId(row.getString("deposit_id")),
        row.getString("owner"),
        new Money(row.getLong("amount"), row.getString("currency")),
        Deposit.State.of(row.getString("state")),
        DepositEnd.valueOf(row.getString("passed").toUpperCase(Locale.ROOT)),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getOffsetDateTime("pay_by").toInstant(),
        row.getString("payment_id"),
        row.getString("order_id"),
        entry == null ? null : new SessionId(entry.toString()),
        paidAt == null ? null : paidAt.toInstant());
  }
}
