package fairgate.catalog;

import fairgate.kernel.ProductId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// The sales that this node's loops work on: all products except parked ones, which are closed and
/// have no work left. A parked sale costs nothing until it is woken.
///
/// Kept in memory only: a restarted node works on all sales again. Parked sales are still compared
/// with the ledger now and then, which finds changes that this node was not notified of.
public final class LiveSales {
  private final Catalog catalog;
  private final AtomicLong wakes = new AtomicLong();

  /// By product: the catalog version that was parked.
  private final Map<ProductId, Long> parked = new ConcurrentHashMap<>();

  /// By product: the number of the last wake.
  private final Map<ProductId, Long> woken = new ConcurrentHashMap<>();

  /// The number of the last wake of all sales.
  private volatile long allWoken;

  public LiveSales(Catalog catalog) {
    this.catalog = catalog;
  }

  public Collection<Product> all() {
    return catalog.all().stream().filter(product -> !isParked(product)).toList();
  }

  public List<ProductId> ids() {
    return all().stream().map(Product::id).toList();
  }

  /// The ids of those whose opening has come.
  ///
  /// @param now about the time of Redis
  public List<ProductId> openedIds(Instant now) {
    return all().stream().filter(product -> !isAhead(product, now)).map(Product::id).toList();
  }

  private static boolean isAhead(Product product, Instant now) {
    Instant opens = product.policy().schedule().opensAt();
    return product.state() == ProductState.SCHEDULED && (opens == null || opens.isAfter(now));
  }

  /// Whether the sale is parked. A change of the product wakes it.
  public boolean isParked(Product product) {
    return Long.valueOf(product.version()).equals(parked.get(product.id()));
  }

  /// Returns a ticket. Take it before reading the facts that decide about parking.
  public long ticket() {
    return wakes.get();
  }

  /// Parks a sale unless it was woken after the ticket was taken. The facts may then be older than
  /// the wake.
  public void park(Product product, long ticket) {
    parked.put(product.id(), product.version());
    // Checked after the put: a wake in between removes the entry or is seen here.
    if (Math.max(allWoken, woken.getOrDefault(product.id(), 0L)) > ticket) {
      parked.remove(product.id());
    }
  }

  /// Wakes a sale that was written, or may have been. Call it after the write.
  public void wake(ProductId id) {
    woken.put(id, wakes.incrementAndGet());
    parked.remove(id);
  }

  /// Wakes all sales, because Redis has lost data.
  public void wakeAll() {
    allWoken = wakes.incrementAndGet();
    parked.clear();
  }
}
