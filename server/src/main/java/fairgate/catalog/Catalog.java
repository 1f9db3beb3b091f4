package fairgate.catalog;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.catalog.Product.Details;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All products, readable from memory on any thread, and the changes operators make to them.
///
/// The picture in memory is this node's own writes at once and those of other nodes within half a
/// second; while PostgreSQL is away it stands still. Changes block: they are for virtual threads,
/// and throw ServiceUnavailable when PostgreSQL cannot answer.
public final class Catalog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Catalog.class);
  private static final long LOOK_EVERY_MS = 500;
  private static final long FIRST_LOAD_S = 10;

  private final Vertx vertx;
  private final PostgresBatches batches;
  private final PostgresProducts products;
  private final List<Consumer<List<Product>>> watchers = new CopyOnWriteArrayList<>();
  private final long timer;
  private volatile Snapshot snapshot = new Snapshot("", Map.of());
  private volatile boolean looking;

  private record Snapshot(String stamp, Map<ProductId, Product> products) {}

  private Catalog(Vertx vertx, PostgresDatabase database) {
    this.vertx = vertx;
    this.batches = new PostgresBatches(database);
    this.products = new PostgresProducts(database, batches);
    this.timer = vertx.setPeriodic(LOOK_EVERY_MS, _ -> look());
  }

  /// Loads all products; blocks until they are there.
  public static Catalog open(Vertx vertx, PostgresDatabase database) {
    Catalog catalog = new Catalog(vertx, database);
    try {
      catalog.refresh();
      return catalog;
    } catch (RuntimeException e) {
      catalog.close();
      throw e;
    }
  }

  /// The product from memory.
  public Optional<Product> find(ProductId id) {
    return Optional.ofNullable(snapshot.products().get(id));
  }

  /// All products from memory, in no order.
  public Collection<Product> all() {
    return snapshot.products().values();
  }

  /// Calls the watcher with the products that are new or have changed, now with all there are and
  /// then after each change, whoever made it. It must not block; it may see a product twice.
  public void watch(Consumer<List<Product>> watcher) {
    watchers.add(watcher);
    watcher.accept(List.copyOf(all()));
  }

  /// Adds a product. Its stock is planned as its policy's batches, which must add up to
  /// `total_stock`, or as one batch at the opening. A repeat with equal values changes nothing.
  public CatalogOutcome create(ProductId id, Details details, SalePolicy policy, String actor) {
    return seen(products.create(id, details, policy, actor));
  }

  /// Changes a product; a changed policy becomes a new version and the old ones are kept. Stock can
  /// be planned anew only until the first unit is released or added.
  public CatalogOutcome update(ProductId id, Details details, SalePolicy policy, String actor) {
    return seen(products.update(id, details, policy, actor));
  }

  /// Opens, pauses, resumes or closes a sale. A repeat changes nothing.
  public CatalogOutcome step(ProductId id, SaleStep step) {
    return seen(products.step(id, step));
  }

  /// Plans more units, once per key: for an open sale they are due at once.
  public BatchOutcome addBatch(ProductId id, int quantity, String key) {
    return seen(batches.add(id, quantity, key));
  }

  /// The batches whose time has come and that are not released, in the order to release them.
  ///
  /// @param now Redis time
  public List<StockBatch> dueBatches(Instant now) {
    return batches.due(now);
  }

  /// Releases a batch in the ledger, so that its units may be sold, and numbers it. To be done
  /// before the batch is applied in Redis: what PostgreSQL allows is never less than what Redis
  /// sells. A repeat gives the same number. Empty when there is no such batch.
  public Optional<StockBatch> release(ProductId product, int seq) {
    return seen(batches.release(product, seq));
  }

  /// The released batches after a number of release, in order: what Redis has to apply still.
  public List<StockBatch> releasedAfter(ProductId product, int release) {
    return batches.releasedAfter(product, release);
  }

  /// Reads the snapshot again now; blocks. Throws ServiceUnavailable.
  public void refresh() {
    try {
      load().await(FIRST_LOAD_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the catalog did not load", Duration.ofSeconds(1));
    }
  }

  @CanIgnoreReturnValue
  private <T> T seen(T outcome) {
    try {
      refresh();
    } catch (RuntimeException e) {
      // The change is made; the next look will show it.
      LOG.warn("the catalog could not be read again: {}", e.getMessage());
    }
    return outcome;
  }

  private void look() {
    if (looking) {
      return;
    }
    looking = true;
    Snapshot had = snapshot;
    products
        .stamp()
        .compose(stamp -> stamp.equals(had.stamp()) ? Future.succeededFuture() : load())
        .onFailure(e -> LOG.debug("the catalog could not be read: {}", e.getMessage()))
        .onComplete(_ -> looking = false);
  }

  /// The stamp is read before the products: a change in between is then seen at the next look.
  private Future<Void> load() {
    return products
        .stamp()
        .compose(stamp -> products.all().map(all -> new Snapshot(stamp, byId(all))))
        .map(
            fresh -> {
              adopt(fresh);
              return null;
            });
  }

  private static Map<ProductId, Product> byId(List<Product> all) {
    return all.stream().collect(Collectors.toUnmodifiableMap(Product::id, product -> product));
  }

  private synchronized void adopt(Snapshot fresh) {
    List<Product> changed = new ArrayList<>();
    Map<ProductId, Product> now = new HashMap<>(fresh.products());
    for (Product product : snapshot.products().values()) {
      // Two loads may overtake each other: a product never goes back to an older version.
      now.merge(product.id(), product, (a, b) -> a.version() >= b.version() ? a : b);
    }
    for (Product product : now.values()) {
      if (!product.equals(snapshot.products().get(product.id()))) {
        changed.add(product);
      }
    }
    snapshot = new Snapshot(fresh.stamp(), Map.copyOf(now));
    if (!changed.isEmpty()) {
      watchers.forEach(watcher -> tell(watcher, changed));
    }
  }

  private static void tell(Consumer<List<Product>> watcher, List<Product> changed) {
    try {
      watcher.accept(changed);
    } catch (RuntimeException e) {
      LOG.error("a watcher of the catalog failed", e);
    }
  }

  /// Stops looking for changes.
  @Override
  public void close() {
    vertx.cancelTimer(timer);
  }
}
