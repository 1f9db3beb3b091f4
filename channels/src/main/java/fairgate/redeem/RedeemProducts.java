package fairgate.redeem;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.RedeemProduct.Starts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// The redeemable products: configured ones and those of sales. Other nodes see a change within a
/// second. Blocks; throws ServiceUnavailable while PostgreSQL is unavailable.
public final class RedeemProducts {
  private static final long CACHE_TTL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_CACHED = 10_000;

  private final PostgresRedeemProducts table;
  private final Catalog sales;
  private final Map<String, Cached> cache = new ConcurrentHashMap<>();

  private record Cached(RedeemProduct product, long nanos) {}

  RedeemProducts(PostgresDatabase database, Catalog sales) {
    this.table = new PostgresRedeemProducts(database);
    this.sales = sales;
  }

  public Optional<RedeemProduct> find(String id) {
    Cached kept = cache.get(id);
    if (kept != null && System.nanoTime() - kept.nanos() < CACHE_TTL_NANOS) {
      return Optional.of(kept.product());
    }
    if (!RedeemProduct.isId(id)) {
      return Optional.empty();
    }
    Optional<RedeemProduct> found = table.find(id).or(() -> sold(id));
    found.ifPresent(product -> keep(id, product));
    return found;
  }

  /// Those set up for redeeming, by id.
  public List<RedeemProduct> all() {
    return table.all();
  }

  /// Creates or changes the product. Codes issued before keep their validity.
  public void save(RedeemProduct product, String actor) {
    table.save(product, actor);
    cache.remove(product.id());
  }

  private Optional<RedeemProduct> sold(String id) {
    return Optional.of(id)
        .filter(ProductId::isValid)
        .flatMap(valid -> sales.find(new ProductId(valid)))
        .map(Product::details)
        .map(
            sold ->
                new RedeemProduct(
                    id,
                    sold.name(),
                    sold.durationDays(),
                    Starts.CLAIM,
                    null,
                    null,
                    null,
                    table.hasSellersCodes(id)));
  }

  private void keep(String id, RedeemProduct product) {
    if (cache.size() >= MAX_CACHED) {
      cache.clear();
    }
    cache.put(id, new Cached(product, System.nanoTime()));
  }
}
