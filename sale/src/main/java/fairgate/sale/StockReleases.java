package fairgate.sale;

import fairgate.catalog.Catalog;
import fairgate.catalog.Catalog.StockBatch;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts due units on sale, for many sales at once: in the ledger first, then in Redis by number, so
/// that any node can complete what a crash left undone.
record StockReleases(Catalog catalog, SaleScripts scripts) {
  private static final Logger LOG = LoggerFactory.getLogger(StockReleases.class);

  /// Releases the due units of these sales and applies to Redis all releases it lacks. The number
  /// of round trips does not depend on the number of sales.
  ///
  /// @param products of one Redis node, by whose clock is decided what is due
  /// @param inStep told of each sale whose units in Redis are those the ledger has released. Of
  ///   others Redis has lost something, or another node is building them anew
  /// @param calls takes the failures
  void run(Collection<ProductId> products, Consumer<ProductId> inStep, SaleCalls calls) {
    Set<ProductId> busy = run(products, false, inStep, calls);
    if (!busy.isEmpty()) {
      // The other sales do not wait for these.
      var _ = run(busy, true, inStep, calls);
    }
  }

  private Set<ProductId> run(
      Collection<ProductId> products, boolean waits, Consumer<ProductId> inStep, SaleCalls calls) {
    Map<ProductId, LiveCounters> live =
        calls.each(
            products.stream().collect(Collectors.toMap(id -> id, scripts::keys)),
            (_, keys) -> scripts.live().run(keys));
    if (live.isEmpty()) {
      return Set.of();
    }
    long now = live.values().stream().mapToLong(LiveCounters::now).max().orElseThrow();
    Set<ProductId> busy = catalog.release(live.keySet(), Instant.ofEpochMilli(now), waits);
    Map<ProductId, Integer> applied = new HashMap<>();
    live.forEach((id, counters) -> applied.put(id, counters.batch()));
    busy.forEach(applied::remove);
    Map<ProductId, List<StockBatch>> missing =
        catalog.releasedAfter(applied).stream().collect(Collectors.groupingBy(StockBatch::product));
    calls
        .each(applied, (id, _) -> apply(id, missing.getOrDefault(id, List.of())))
        .forEach(
            (id, whole) -> {
              if (whole) {
                inStep.accept(id);
              }
            });
    return busy;
  }

  private Future<Boolean> apply(ProductId product, List<StockBatch> batches) {
    SaleKeys keys = scripts.keys(product);
    Future<Boolean> applied = Future.succeededFuture(true);
    for (StockBatch batch : batches) {
      applied =
          applied.compose(whole -> whole ? apply(keys, batch) : Future.succeededFuture(false));
    }
    return applied;
  }

  private Future<Boolean> apply(SaleKeys keys, StockBatch batch) {
    Integer number = batch.release();
    if (number == null) {
      return Future.succeededFuture(true);
    }
    return scripts
        .stockBatch()
        .run(keys, number, batch.quantity())
        .map(
            word ->
                switch (word) {
                  case APPLIED -> {
                    LOG.info(
                        "product {}: batch {} of {} units is on sale",
                        keys.product(),
                        number,
                        batch.quantity());
                    yield true;
                  }
                  case ALREADY -> true;
                  case GAP, NO_SALE -> false;
                });
  }
}
