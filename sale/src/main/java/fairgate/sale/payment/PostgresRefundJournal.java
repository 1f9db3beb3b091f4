package fairgate.sale.payment;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.payment.PaymentProvider.RefundOutcome;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// Makes refunds happen once at providers without idempotency keys. A call is written down before
/// it is made, with the sum that the provider had returned of the payment until then. After an
/// unknown outcome, the sum tells whether the call took effect. One call per payment is open at a
/// time, else the sum would tell nothing. Blocks: for virtual threads.
final class PostgresRefundJournal {
  private static final String FIND =
      """
      SELECT returned_before, done_at IS NOT NULL AS done,
        asked_at > now() - $2 * interval '1 second' AS fresh
      FROM payment_refund_calls WHERE refund_key = $1
      """;
  private static final String ASK =
      """
      INSERT INTO payment_refund_calls (refund_key, payment_id, amount, returned_before)
      VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING
      """;
  private static final String AGAIN =
      """
      UPDATE payment_refund_calls SET asked_at = now()
      WHERE refund_key = $1 AND done_at IS NULL AND asked_at <= now() - $2 * interval '1 second'
      """;
  private static final String DONE =
      "UPDATE payment_refund_calls SET done_at = now() WHERE refund_key = $1";
  private static final String FORGET =
      "DELETE FROM payment_refund_calls WHERE refund_key = $1 AND done_at IS NULL";

  private final PostgresDatabase database;
  private final double inFlightSeconds;

  /// @param inFlight a provider works on a call for at most this long after its reply was lost
  PostgresRefundJournal(PostgresDatabase database, Duration inFlight) {
    this.database = database;
    this.inFlightSeconds = inFlight.toSeconds();
  }

  /// How a provider is asked.
  interface Call {
    /// The sum that the provider has returned of the payment, in minor units; empty when it does
    /// not know the payment.
    OptionalLong returned() throws ProviderHttp.NoAnswer;

    /// Whether the provider tells the sum. Else a person decides about an unknown outcome.
    boolean tellsSum();

    RefundOutcome refund();
  }

  /// Refunds once.
  RefundOutcome once(Payment payment, String key, Call call) throws ProviderHttp.NoAnswer {
    List<Row> known = database.rows(FIND, key, inFlightSeconds);
    return known.isEmpty()
        ? first(payment, key, call)
        : repeat(payment, key, call, known.getFirst());
  }

  private RefundOutcome first(Payment payment, String key, Call call) throws ProviderHttp.NoAnswer {
    OptionalLong before = call.returned();
    if (before.isEmpty()) {
      return new RefundOutcome.Refused("the provider does not know the payment");
    }
    int asked =
        database.update(ASK, key, payment.id(), payment.amount().minorUnits(), before.getAsLong());
    return asked == 0
        ? new RefundOutcome.Unknown("another refund of the payment is in progress")
        : ended(key, call::refund);
  }

  private RefundOutcome repeat(Payment payment, String key, Call call, Row row)
      throws ProviderHttp.NoAnswer {
    if (row.getBoolean("done")) {
      return new RefundOutcome.Refunded();
    }
    if (row.getBoolean("fresh")) {
      return new RefundOutcome.Unknown("the provider may still work on the last call");
    }
    long before = row.getLong("returned_before");
    long wanted = Math.addExact(before, payment.amount().minorUnits());
    OptionalLong now = call.tellsSum() ? call.returned() : OptionalLong.empty();
    if (now.isPresent() && now.getAsLong() == wanted) {
      return ended(key, RefundOutcome.Refunded::new);
    }
    if (now.isEmpty() || now.getAsLong() != before) {
      return ended(
          key,
          () ->
              new RefundOutcome.Refused(
                  "the outcome of an earlier call is not known: compare with the provider's"
                      + " records, then mark the refund as done or retry it"));
    }
    // Another node may have asked in the meantime.
    int again = database.update(AGAIN, key, inFlightSeconds);
    return again == 0
        ? new RefundOutcome.Unknown("another node asks the provider")
        : ended(key, call::refund);
  }

  /// Ends the open call unless its outcome is unknown. A refused call may be made again.
  private RefundOutcome ended(String key, Supplier<RefundOutcome> call) {
    RefundOutcome outcome = call.get();
    switch (outcome) {
      case RefundOutcome.Refunded() -> {
        database.update(DONE, key);
      }
      case RefundOutcome.Refused(String _) -> {
        database.update(FORGET, key);
      }
      case RefundOutcome.Unknown(String _) -> {}
    }
    return outcome;
  }
}
