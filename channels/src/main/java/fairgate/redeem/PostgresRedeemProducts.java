package fairgate.redeem;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.RedeemProduct.Codes;
import fairgate.redeem.RedeemProduct.Starts;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;

/// The table `redeem_products`. Blocks.
record PostgresRedeemProducts(PostgresDatabase database) {
  private static final String SELECT =
      """
      SELECT id, name, duration_days, starts, activate_within_days, code_prefix, codes,
             coalesce(codes = 'seller', EXISTS (
               SELECT FROM redemption_codes c
               WHERE c.product_id = redeem_products.id AND c.source = 'seller')) AS sellers_only
      FROM redeem_products
      """;
  private static final String ONE = SELECT + "WHERE id = $1";
  private static final String ALL = SELECT + "ORDER BY id LIMIT 10000";
  private static final String SAVE =
      """
      INSERT INTO redeem_products
        (id, name, duration_days, starts, activate_within_days, code_prefix, actor, codes)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, duration_days = excluded.duration_days,
        starts = excluded.starts, activate_within_days = excluded.activate_within_days,
        code_prefix = excluded.code_prefix, codes = excluded.codes, actor = excluded.actor, updated_at = now()
      """;

  private static final String SELLERS =
      "SELECT EXISTS (SELECT FROM redemption_codes WHERE product_id = $1 AND source = 'seller')";

  Optional<RedeemProduct> find(String id) {
    return database.query(ONE, id).await().stream()
        .findFirst()
        .map(PostgresRedeemProducts::product);
  }

  /// Whether a seller has ever supplied a code for the product.
  boolean hasSellersCodes(String id) {
    return database.query(SELLERS, id).await().getFirst().getBoolean(0);
  }

  List<RedeemProduct> all() {
    return database.query(ALL).await().stream().map(PostgresRedeemProducts::product).toList();
  }

  void save(RedeemProduct product, String actor) {
    Codes codes = product.codes();
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
                actor,
                codes == null ? null : codes.word())
            .await();
  }

  private static RedeemProduct product(Row row) {
    String codes = row.getString("codes");
    return new RedeemProduct(
        row.getString("id"),
        row.getString("name"),
        row.getInteger("duration_days"),
        Starts.of(row.getString("starts")),
        row.getInteger("activate_within_days"),
        row.getString("code_prefix"),
        codes == null ? null : Codes.of(codes),
        row.getBoolean("sellers_only"));
  }
}
