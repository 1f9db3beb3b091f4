package fairgate.redeem.product;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.product.RedeemProduct.Starts;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;

/// The table `redeem_products`. Blocks.
final class PostgresRedeemProducts {
  private static final String SELECT =
      """
      SELECT id, name, duration_days, starts, activate_within_days, code_prefix
      FROM redeem_products
      """;
  private static final String ONE = SELECT + "WHERE id = $1";
  private static final String ALL = SELECT + "ORDER BY id LIMIT 10000";
  private static final String SAVE =
      """
      INSERT INTO redeem_products
        (id, name, duration_days, starts, activate_within_days, code_prefix, actor)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, duration_days = excluded.duration_days,
        starts = excluded.starts, activate_within_days = excluded.activate_within_days,
        code_prefix = excluded.code_prefix, actor = excluded.actor, updated_at = now()
      """;

  private final PostgresDatabase database;

  PostgresRedeemProducts(PostgresDatabase database) {
    this.database = database;
  }

  Optional<RedeemProduct> find(String id) {
    return database.query(ONE, id).await().stream()
        .findFirst()
        .map(PostgresRedeemProducts::product);
  }

  List<RedeemProduct> all() {
    return database.query(ALL).await().stream().map(PostgresRedeemProducts::product).toList();
  }

  void save(RedeemProduct product, String actor) {
    var _ =
        database
            .query(
                SAVE,
                product.id(),
                product.name(),
                product.durationDays(),
                product.starts().word(),
                product.activateWithinDays(),
                product.codePrefix(),
                actor)
            .await();
  }

  private static RedeemProduct product(Row row) {
    return new RedeemProduct(
        row.getString("id"),
        row.getString("name"),
        row.getInteger("duration_days"),
        Starts.of(row.getString("starts")),
        row.getInteger("activate_within_days"),
        row.getString("code_prefix"));
  }
}
