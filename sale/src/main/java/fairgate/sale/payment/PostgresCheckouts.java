package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.payment.HostedGateway.Attempt;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The tables of tries to pay. An order is closed in the same row that counts its tries, so no try
/// begins after the order was closed, whichever nodes are involved. Blocks: for virtual threads.
record PostgresCheckouts(PostgresDatabase database, String provider) {
  private static final String BEGIN =
      """
      WITH checkout AS (
        INSERT INTO payment_checkouts AS c (order_id, attempts) VALUES ($1, 1)
        ON CONFLICT (order_id) DO UPDATE SET attempts = c.attempts + 1
          WHERE c.closed_at IS NULL AND c.attempts = $2::int - 1
        RETURNING attempts)
      INSERT INTO payment_attempts (order_id, attempt, provider, request, amount, currency, reference)
      SELECT $1, $2::int, $3, $4, $5::bigint, $6, $7::text FROM checkout WHERE attempts = $2::int
      RETURNING *
      """;
  private static final String CLOSE =
      """
      INSERT INTO payment_checkouts AS c (order_id, attempts, closed_at) VALUES ($1, 0, now())
      ON CONFLICT (order_id) DO UPDATE SET closed_at = coalesce(c.closed_at, now())
      """;
  private static final String CLOSED =
      "SELECT closed_at IS NOT NULL AS closed FROM payment_checkouts WHERE order_id = $1";
  private static final String ATTEMPTS =
      "SELECT * FROM payment_attempts WHERE order_id = $1 ORDER BY attempt";
  private static final String OPENED =
      """
      UPDATE payment_attempts SET reference = $3, url = $4, updated_at = now()
      WHERE order_id = $1 AND attempt = $2
      """;
  private static final String ENDED =
      """
      UPDATE payment_attempts SET ended = true, result = $3, updated_at = now()
      WHERE order_id = $1 AND attempt = $2 AND payment_id IS NULL
      """;
  private static final String PAID =
      """
      UPDATE payment_attempts
      SET payment_id = $3, detail = coalesce($4, detail), result = 'paid', updated_at = now()
      WHERE provider = $1 AND reference = $2
      """;
  private static final String DECLINED =
      """
      UPDATE payment_attempts SET result = $3, updated_at = now()
      WHERE provider = $1 AND reference = $2 AND payment_id IS NULL
      """;
  private static final String BY_REFERENCE =
      "SELECT * FROM payment_attempts WHERE provider = $1 AND reference = $2";
  private static final String BY_PAYMENT =
      "SELECT * FROM payment_attempts WHERE provider = $1 AND payment_id = $2 LIMIT 1";

  /// Begins a try; empty when the order is closed, or another try has this number.
  Optional<Attempt> begin(
      OrderId order, int number, String request, Money amount, @Nullable String reference) {
    return database.first(
        BEGIN,
        PostgresCheckouts::attempt,
        order.value(),
        number,
        provider,
        request,
        amount.minorUnits(),
        amount.currency(),
        reference);
  }

  /// Closes the order for further tries and returns those that it had. The second statement sees
  /// all tries that began before the first one had its lock.
  List<Attempt> close(OrderId order) {
    return database
        .tx(
            db -> {
              db.update(CLOSE, order.value());
              return db.query(ATTEMPTS, order.value());
            })
        .stream()
        .map(PostgresCheckouts::attempt)
        .toList();
  }

  boolean isClosed(OrderId order) {
    return database.rows(CLOSED, order.value()).stream().anyMatch(row -> row.getBoolean("closed"));
  }

  List<Attempt> attempts(OrderId order) {
    return database.list(ATTEMPTS, PostgresCheckouts::attempt, order.value());
  }

  /// The tries of an order at any provider, oldest first.
  static List<PaymentTry> tries(PostgresDatabase database, OrderId order) {
    return database.list(
        ATTEMPTS,
        row ->
            new PaymentTry(
                row.getInteger("attempt"),
                row.getString("provider"),
                row.getString("reference"),
                row.getString("payment_id"),
                row.getString("result"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant()),
        order.value());
  }

  void opened(Attempt attempt, String reference, String url) {
    database.update(OPENED, attempt.order().value(), attempt.number(), reference, url);
  }

  void ended(Attempt attempt, String result) {
    database.update(ENDED, attempt.order().value(), attempt.number(), result);
  }

  void paid(String reference, Payment payment, @Nullable String detail) {
    database.update(PAID, provider, reference, payment.id(), detail);
  }

  /// Records that a payment was declined; the try may still be paid.
  void declined(String reference, String result) {
    database.update(DECLINED, provider, reference, result);
  }

  Optional<Attempt> byReference(String reference) {
    return database.first(BY_REFERENCE, PostgresCheckouts::attempt, provider, reference);
  }

  Optional<Attempt> byPayment(String payment) {
    return database.first(BY_PAYMENT, PostgresCheckouts::attempt, provider, payment);
  }

  private static Attempt attempt(Row row) {
    return new Attempt(
        new OrderId(row.getString("order_id")),
        row.getInteger("attempt"),
        row.getString("request"),
        new Money(row.getLong("amount"), row.getString("currency")),
        row.getString("reference"),
        row.getString("url"),
        row.getString("detail"),
        row.getBoolean("ended"));
  }
}
