package fairgate.sale;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.StockBatch;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps Redis in step with the catalog: policies, states, and units whose time has come.
///
/// PostgreSQL is written first and Redis follows, so a crash in between is caught up with by any
/// node. Every step is idempotent by version or number. Blocks: for virtual threads only.
public final class SaleSync {
  private static final Logger LOG = LoggerFactory.getLogger(SaleSync.class);
  private static final Duration BUDGET = Duration.ofSeconds(5);

  private final Catalog catalog;
  private final SaleScripts scripts;
  private final GateRebuild rebuild;
  private final Map<ProductId, Long> synced = new ConcurrentHashMap<>();
  private volatile Consumer<ProductId> onStock = _ -> {};

  SaleSync(Catalog catalog, SaleScripts scripts, GateRebuild rebuild) {
    this.catalog = catalog;
    this.scripts = scripts;
    this.rebuild = rebuild;
  }

  /// Who is told that units or the state of a sale have changed, so that people move at once.
  public void onStock(Consumer<ProductId> listener) {
    onStock = listener;
  }

  /// Brings one product's sale up to the catalog: units first, then policy and state, so that the
  /// first one admitted finds stock. Throws ServiceUnavailable when an engine does not answer; a
  /// repeat goes on where this one stopped.
  public void sync(Product product) {
    if (!bring(product)) {
      throw new ServiceUnavailable("stock of " + product.id() + " is behind", BUDGET);
    }
  }

  /// False when the units are not what they should be: another node is building the sale anew, or
  /// Redis has changed under us. The next round finds out; other sales go on meanwhile.
  private boolean bring(Product product) {
    SaleKeys keys = scripts.keys(product.id());
    if (configure(keys, product) == ConfigureScript.Word.MISSING) {
      rebuild.create(product);
    }
    if (!release(keys, product.id(), now(keys))) {
      return false;
    }
    synced.put(product.id(), product.version());
    onStock.accept(product.id());
    return true;
  }

  /// One round over all products: what changed, what is due, what Redis has lost.
  void round() {
    PerNode nodes = new PerNode(scripts::node);
    nodes.each(
        catalog.all(),
        product -> {
          if (!Long.valueOf(product.version()).equals(synced.get(product.id()))) {
            boolean _ = bring(product);
          }
        });
    if (catalog.all().stream().anyMatch(SaleSync::mayBeDue)) {
      nodes.once(catalog.all(), this::releaseDue);
    }
    nodes.finish();
  }

  /// Compares what Redis holds with what the ledger has seen, and rebuilds a sale that is missing
  /// or older.
  void verify() {
    var heads = rebuild.heads();
    PerNode nodes = new PerNode(scripts::node);
    nodes.each(
        catalog.all(),
        product -> {
          if (rebuild.check(product, heads)) {
            synced.remove(product.id());
            boolean _ = bring(product);
          }
        });
    nodes.finish();
  }

  private static boolean mayBeDue(Product product) {
    // Only sales that run by themselves need looking at; an operator's step releases by itself.
    boolean planned =
        product.nextBatchAt() != null || product.policy().schedule().opensAt() != null;
    return planned && product.state() != ProductState.CLOSED;
  }

  /// Releases what is due by the clock of one Redis node, of the sales it has.
  private void releaseDue(Product any) {
    Instant now = now(scripts.keys(any.id()));
    for (StockBatch batch : catalog.dueBatches(now)) {
      if (scripts.node(batch.product()).equals(scripts.node(any.id()))) {
        boolean _ = release(scripts.keys(batch.product()), batch.product(), now);
        onStock.accept(batch.product());
      }
    }
  }

  /// Releases what is due in the ledger, then applies to Redis all it has not applied yet; false
  /// when Redis does not take it.
  private boolean release(SaleKeys keys, ProductId product, Instant now) {
    for (StockBatch batch : catalog.dueBatches(now)) {
      if (batch.product().equals(product)) {
        if (catalog.release(product, batch.seq()).isEmpty()) {
          LOG.warn("batch {} of product {} has gone before its release", batch.seq(), product);
        }
      }
    }
    int applied = await(scripts.live().run(keys)).batch();
    for (StockBatch batch : catalog.releasedAfter(product, applied)) {
      Integer number = batch.release();
      if (number != null && !apply(keys, number, batch.quantity())) {
        return false;
      }
    }
    return true;
  }

  private boolean apply(SaleKeys keys, int number, int quantity) {
    return switch (await(scripts.stockBatch().run(keys, number, quantity))) {
      case APPLIED -> {
        LOG.info("product {}: batch {} of {} units is on sale", keys.product(), number, quantity);
        yield true;
      }
      case ALREADY -> true;
      case GAP, NO_SALE -> false;
    };
  }

  private ConfigureScript.Word configure(SaleKeys keys, Product product) {
    return await(scripts.configure().run(keys, product, 0));
  }

  private Instant now(SaleKeys keys) {
    return Instant.ofEpochMilli(await(scripts.live().run(keys)).now());
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(BUDGET.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("redis is too slow", Duration.ofSeconds(1));
    }
  }
}
