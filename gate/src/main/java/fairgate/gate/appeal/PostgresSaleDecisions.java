package fairgate.gate.appeal;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;

/// The numbers of decisions and appeals for the public tables of sales. Blocks.
record PostgresSaleDecisions(PostgresDatabase database) {
  private static final String STATISTICS =
      """
      SELECT (SELECT coalesce(sum(decisions), 0)::bigint FROM sale_decisions
          WHERE product_id = $1) AS decisions,
        count(*) AS appeals,
        count(*) FILTER (WHERE state IN ('granted', 'refused')) AS decided,
        count(*) FILTER (WHERE state = 'granted') AS won,
        coalesce(percentile_cont(0.5) WITHIN GROUP (
          ORDER BY extract(epoch FROM decided_at - filed_at))
          FILTER (WHERE state IN ('granted', 'refused')), 0)::float8 AS median
      FROM appeals WHERE product_id = $1
      """;

  private static final String ADD_DECISIONS =
      """
      INSERT INTO sale_decisions (product_id, code, decisions)
      SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
      ON CONFLICT (product_id, code)
      DO UPDATE SET decisions = sale_decisions.decisions + EXCLUDED.decisions
      """;

  /// The numbers of one sale.
  ///
  /// @param medianSeconds from filing to decision
  record Statistics(long decisions, long appeals, long decided, long won, double medianSeconds) {}

  Statistics statistics(ProductId product) {
    Row row = database.reading(db -> db.query(STATISTICS, product.value()).getFirst());
    return new Statistics(
        row.getLong("decisions"),
        row.getLong("appeals"),
        row.getLong("decided"),
        row.getLong("won"),
        row.getDouble("median"));
  }

  /// Adds numbers of decisions. The arrays have one element per sale and code, in the same order on
  /// every node.
  void addDecisions(String[] products, String[] codes, Long[] numbers) {
    database.update(ADD_DECISIONS, products, codes, numbers);
  }
}
