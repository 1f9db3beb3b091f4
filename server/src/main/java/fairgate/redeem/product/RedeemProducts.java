package fairgate.redeem.product;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.product.RedeemProduct.Starts;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The products that can be redeemed: those set up for it, and those of a sale. A change is seen by
/// other nodes within a second. Blocks; throws ServiceUnavailable while PostgreSQL is away.
public final class RedeemProducts {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_KEPT = 10_000;

  private final PostgresRedeemProducts table;
  private final SaleProducts sales;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  private record Known(RedeemProduct product, long nanos) {}

  /// What a sale knows of its products.
  @FunctionalInterface
  public interface SaleProducts {
    /// How long what was bought is good for.
    ///
    /// @param durationDays null = for ever
    record Sold(String name, @Nullable Integer durationDays) {}

    /// The product of this id, if there is a sale of it.
    Optional<Sold> find(String id);
  }

  public RedeemProducts(PostgresDatabase database, SaleProducts sales) {
    this.table = new PostgresRedeemProducts(database);
    this.sales = sales;
  }

  /// The product of this id.
  public Optional<RedeemProduct> find(String id) {
    Known kept = known.get(id);
    if (kept != null && System.nanoTime() - kept.nanos() < FRESH_NANOS) {
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

  /// Creates the product, or changes it. Codes given out before keep what they were given.
  public void save(RedeemProduct product, String actor) {
    table.save(product, actor);
    known.remove(product.id());
  }

  private Optional<RedeemProduct> sold(String id) {
    return sales
        .find(id)
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
    if (known.size() >= MOST_KEPT) {
      known.clear();
    }
    known.put(id, new Known(product, System.nanoTime()));
  }
}
