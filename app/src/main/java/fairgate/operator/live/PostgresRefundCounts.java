package fairgate.operator.live;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;

/// Counts the refunds of a sale that have not ended.
final class PostgresRefundCounts {
  /// The ids of a product's orders begin with its id.
  private static final String COUNT =
      """
      SELECT count(*) FILTER (WHERE state = 'due') AS waiting,
        count(*) FILTER (WHERE state = 'failed') AS failed
      FROM refunds WHERE state IN ('due', 'failed') AND starts_with(order_id, $1)
      """;

  private final PostgresDatabase database;

  PostgresRefundCounts(PostgresDatabase database) {
    this.database = database;
  }

  /// Refunds by state.
  ///
  /// @param waiting to be paid back
  /// @param failed refused by the payment provider; an operator has to act
  record Counts(long waiting, long failed) {}

  /// Blocks.
  Counts of(ProductId product) {
    Row row = database.rows(COUNT, "order_" + product.value() + "_").getFirst();
    return new Counts(row.getLong("waiting"), row.getLong("failed"));
  }
}
