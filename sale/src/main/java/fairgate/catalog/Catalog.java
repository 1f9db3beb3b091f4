package fairgate.catalog;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.catalog.Product.Details;
import fairgate.catalog.Product.Draft;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The products and their changes by operators. Reads come from memory, on any thread.
///
/// The snapshot has this node's own changes at once and those of other nodes within half a second;
/// while PostgreSQL is away it does not change. Changes block: they are for virtual threads, and
/// throw ServiceUnavailable when PostgreSQL does not answer.
public final class Catalog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Catalog.class);
  private static final Duration FIRST_LOAD = Duration.ofSeconds(10);

  private final PostgresBatches batches;
  private final PostgresProducts products;
  private final Pictures pictures;
  private final List<Consumer<List<Product>>> watchers = new CopyOnWriteArrayList<>();
  private final ChangePoll.Watch watch;
  private volatile Snapshot snapshot = new Snapshot("", Map.of());

  private record Snapshot(String stamp, Map<ProductId, Product> products) {}

  private Catalog(PostgresDatabase database) {
    this.batches = new PostgresBatches(database);
    this.products = new PostgresProducts(database, batches);
    this.pictures = new Pictures(database);
    this.watch = database.changes().watch(PostgresProducts.STAMP, this::look);
  }

  /// Loads all products; blocks until they are loaded.
  public static Catalog open(PostgresDatabase database) {
    Catalog catalog = new Catalog(database);
    try {
      catalog.refresh();
      return catalog;
    } catch (RuntimeException e) {
      catalog.close();
      throw e;
    }
  }

  public Optional<Product> find(ProductId id) {
    return Optional.ofNullable(snapshot.products().get(id));
  }

  /// As `find`, but reads an unknown product from PostgreSQL: another node may have created it a
  /// moment ago. Blocks; for operators. Throws ServiceUnavailable.
  public Optional<Product> findOrReload(ProductId id) {
    if (find(id).isEmpty()) {
      refresh();
    }
    return find(id);
  }

  /// All products from memory, in no order.
  public Collection<Product> all() {
    return snapshot.products().values();
  }

  public Pictures pictures() {
    return pictures;
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return Stream.of(new ContentAdmin(this).routes(admin), new PictureAdmin(pictures).routes(admin))
        .flatMap(List::stream)
        .toList();
  }

  /// Adds a watcher. It is called with all products now, and with new or changed products after
  /// each change on any node. It must not block, and may get a product twice.
  public void watch(Consumer<List<Product>> watcher) {
    watchers.add(watcher);
    watcher.accept(List.copyOf(all()));
  }

  /// Adds a product. Its stock is planned as the batches of its policy, which must add up to
  /// `total_stock`, or as one batch at the opening. A repeat with equal values changes nothing.
  public Outcome create(ProductId id, Details details, SalePolicy policy, String actor) {
    return seen(products.create(id, details, policy, actor));
  }

  /// Changes a product. A changed policy becomes a new version; old ones are kept. The stock plan
  /// can be replaced only until the first unit is released or added.
  ///
  /// @param change computes the new product from the present one, which is locked meanwhile. If it
  ///   throws, nothing is changed and the exception is passed on
  /// @param confirmed permitted changes of a sale that is open or paused, see `Unconfirmed`
  public Outcome update(
      ProductId id, Function<Product, Draft> change, Set<String> confirmed, String actor) {
    return seen(products.update(id, change, confirmed, actor));
  }

  /// Replaces what buyers read about a product; empty when there is no such product. A repeat
  /// changes nothing that anybody sees.
  public Optional<Product> describe(ProductId id, ProductContent content) {
    return seen(products.describe(id, content));
  }

  /// Opens, pauses, resumes or closes a sale; a sale whose draw runs is not closed. A repeat
  /// changes nothing. Opening a sale ahead of its `opens_at` removes it, as a new version of the
  /// policy.
  public Outcome step(ProductId id, ProductState.Step step, String actor) {
    return seen(products.step(id, step, actor));
  }

  /// Plans more units, once per key. In an open sale they are due at once.
  public BatchOutcome addBatch(ProductId id, int quantity, String key) {
    return seen(batches.add(id, quantity, key));
  }

  /// The batches that are due and not released, in the order of release.
  ///
  /// @param now Redis time
  public List<StockBatch> dueBatches(Instant now) {
    return batches.due(now);
  }

  /// Releases the due batches of these products in the ledger and numbers them, in one transaction.
  /// This comes before Redis: PostgreSQL never allows fewer units than Redis sells. A repeat
  /// releases nothing again.
  ///
  /// @param now Redis time
  /// @param waits whether it waits for products that another transaction has locked
  /// @return products with due batches that were passed by because they were locked
  public Set<ProductId> release(Collection<ProductId> some, Instant now, boolean waits) {
    PostgresBatches.Released released = batches.release(some, now, waits);
    if (released.done()) {
      showChange();
    }
    return released.busy();
  }

  /// For each product, the released batches after a release number, in order: those that Redis
  /// lacks.
  public List<StockBatch> releasedAfter(Map<ProductId, Integer> releases) {
    return batches.releasedAfter(releases);
  }

  /// Reloads the snapshot; blocks. Throws ServiceUnavailable.
  public void refresh() {
    var _ = BlockingWork.within(FIRST_LOAD, load(), "the catalog did not load");
  }

  @CanIgnoreReturnValue
  private <T> T seen(T outcome) {
    showChange();
    return outcome;
  }

  private void showChange() {
    try {
      refresh();
    } catch (RuntimeException e) {
      // The change is committed; the next reload shows it.
      LOG.warn("the catalog could not be read again: {}", e.getMessage());
    }
  }

  private Future<Void> look(String stamp) {
    return stamp.equals(snapshot.stamp()) ? Future.succeededFuture() : load();
  }

  /// The stamp is read before the products, so that the next reload sees a change in between.
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
      // Two loads may overtake each other. A product never goes back to an older version.
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

  @Override
  public void close() {
    watch.close();
  }

  public sealed interface BatchOutcome {
    /// The units are planned: due at once in an open sale, else at its opening.
    ///
    /// @param isAfterDraw whether a draw of the sale runs: its units were fixed when it was
    ///   announced, so nobody can buy these before it is over
    record Added(StockBatch batch, boolean isAfterDraw) implements BatchOutcome {}

    /// A batch with this key and number of units was added before; nothing changed.
    ///
    /// @param isAfterDraw as in [Added], at present
    record Repeated(StockBatch batch, boolean isAfterDraw) implements BatchOutcome {}

    /// The key was used for another number of units.
    record KeyTaken(StockBatch batch) implements BatchOutcome {}

    record UnknownProduct() implements BatchOutcome {}

    /// The sale is closed.
    record StateConflict(ProductState state) implements BatchOutcome {}

    /// The number of units or the key is out of bounds.
    record Invalid(PolicyProblem problem) implements BatchOutcome {}
  }

  /// Units that become available together.
  ///
  /// @param seq the batch's number in the plan
  /// @param dueAt null = at the opening
  /// @param release the batch's number in the order of release, from 1 without gaps: what
  ///   `stock_batch` takes; null while it is not released
  public record StockBatch(
      ProductId product,
      int seq,
      int quantity,
      @Nullable Instant dueAt,
      @Nullable Integer release) {}

  public sealed interface Outcome {
    /// Done. `product` is the new state.
    record Done(Product product) implements Outcome {}

    /// Nothing had to change: a repeat of an earlier change.
    record Unchanged(Product product) implements Outcome {}

    record UnknownProduct() implements Outcome {}

    /// A product with this id exists and differs.
    record Exists(Product product) implements Outcome {}

    record StateConflict(ProductState state) implements Outcome {}

    /// The sale is open or paused, and the change affects its buyers and was not confirmed. Nothing
    /// changed.
    ///
    /// @param changes by the name to confirm: `payment`, `price`, `currency`, `deposit`, `preset`,
    ///   `identity`
    record Unconfirmed(SortedMap<String, Change> changes) implements Outcome {}

    record Change(String from, String to) {}

    record Invalid(List<PolicyProblem> problems) implements Outcome {}
  }
}
