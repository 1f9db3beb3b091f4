package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.ledger.LedgerWait.Fact;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Reads the tables `orders` and `refunds` that the ledger writes.
record PostgresPaymentFacts(PostgresDatabase database) {
  private static final String KNOWN =
      """
      WITH f AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[]) AS f(order_id, payment_id))
      SELECT order_id, payment_id FROM f JOIN orders o USING (order_id, payment_id)
        WHERE o.platform = 'fairgate'
      UNION ALL
      SELECT order_id, payment_id FROM f JOIN refunds USING (order_id, payment_id)
      """;

  /// Returns those payments that the ledger has for their order or on its list of refunds. Fails
  /// when the ledger does not answer.
  Future<Set<Fact>> known(List<Fact> all) {
    return database
        .query(
            KNOWN,
            all.stream().map(fact -> fact.order().value()).toArray(String[]::new),
            all.stream().map(Fact::payment).toArray(String[]::new))
        .map(
            rows ->
                rows.stream()
                    .map(row -> new Fact(new OrderId(row.getString(0)), row.getString(1)))
                    .collect(Collectors.toUnmodifiableSet()));
  }
}
