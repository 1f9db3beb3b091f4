package fairgate.sale;

import fairgate.catalog.LiveSales;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Health.Status;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The health check of sales that are held: after a restart of Redis they sell nothing until they
/// were compared with the ledger.
///
/// Asks for one sale of each Redis node, because a restart holds all sales of the node.
record TrustCheck(LiveSales live, SaleScripts scripts) {
  /// Shorter than the time limit of a health check, after which sales would count as held.
  private static final long TIMEOUT_MS = 1_500;

  Future<Status> status() {
    Map<String, ProductId> byNode = new HashMap<>();
    live.ids().forEach(id -> byNode.putIfAbsent(scripts.node(id), id));
    List<Future<Boolean>> asked = byNode.values().stream().map(this::isHeld).toList();
    return Future.all(asked)
        .map(
            held ->
                held.list().contains(true)
                    ? Status.down("sales wait for the comparison with the ledger")
                    : Status.good());
  }

  private Future<Boolean> isHeld(ProductId id) {
    // Whether Redis answers is a check of its own, and a new sale is not in Redis yet.
    return scripts
        .live()
        .run(scripts.keys(id))
        .map(counters -> counters.known() && !counters.trusted())
        .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .otherwise(false);
  }
}
