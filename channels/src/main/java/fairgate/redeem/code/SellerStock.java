package fairgate.redeem.code;

import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The stock of sellers' own codes: codes left, and paid orders without one.
public final class SellerStock {
  private static final Logger LOG = LoggerFactory.getLogger(SellerStock.class);

  private final PostgresSellerStock table;
  private volatile long without;
  private Set<String> missing = Set.of();

  SellerStock(PostgresDatabase database, Metrics metrics) {
    this.table = new PostgresSellerStock(database);
    metrics.gauge(
        "fairgate_redeem_orders_without_code",
        "Paid orders that wait for a seller's code: none is bound to them",
        () -> without);
  }

  /// The codes of a product.
  ///
  /// @param left codes that wait for the claim of their order
  /// @param ordersWithout paid orders that were not claimed and have no code
  public record Level(String productId, long left, long ordersWithout) {
    boolean isShort() {
      return ordersWithout > 0;
    }
  }

  /// All products that give sellers' codes, by id. Blocks.
  public List<Level> levels() {
    return table.levels();
  }

  /// Counts again. Logs each product once when its codes run out. Blocks.
  void look() {
    List<Level> levels = levels();
    without = levels.stream().mapToLong(Level::ordersWithout).sum();
    Set<String> now =
        levels.stream().filter(Level::isShort).map(Level::productId).collect(Collectors.toSet());
    List<Level> fresh =
        levels.stream()
            .filter(level -> level.isShort() && !missing.contains(level.productId()))
            .toList();
    if (!fresh.isEmpty()) {
      LOG.warn(
          "Sellers' codes have run out; claims of paid orders without a code must be retried;"
              + " import these orders again with codes; products={}",
          fresh);
    }
    missing = now;
  }
}
