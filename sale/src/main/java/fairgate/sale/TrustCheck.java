package fairgate.sale;

import fairgate.catalog.LiveSales;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Health.Status;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The health check of sales that are held: after a restart of Redis they sell nothing until they
/// were compared with the ledger.
///
/// Looks at one sale of each Redis node, because a restart holds all sales of the node. The
/// comparison reads one a second; Redis is asked only while there is none.
record TrustCheck(LiveSales live, SaleScripts scripts, SaleSync sync) {
  /// Shorter than the time limit of a health check, after which sales would count as held.
  private static final long TIMEOUT_MS = 1_500;

  private static final Duration RECENT = Duration.ofSeconds(2);

  Future<Status> status() {
    Map<String, ProductId> byNode = new HashMap<>();
    live.ids().forEach(id -> byNode.putIfAbsent(scripts.node(id), id));
    List<Future<Boolean>> asked =
        byNode.entrySet().stream().map(one -> isHeld(one.getKey(), one.getValue())).toList();
    return Future.all(asked)
        .map(
            held ->
                held.list().contains(true)
                    ? Status.down("sales wait for the comparison with the ledger")
                    : Status.good());
  }

  private Future<Boolean> isHeld(String node, ProductId id) {
    LiveCounters recent = sync.lastReading(node, RECENT);
    if (recent != null) {
      return Future.succeededFuture(isHeld(recent));
    }
    // Whether Redis answers is a check of its own, and a new sale is not in Redis yet.
    return scripts
        .live()
        .run(scripts.keys(id))
        .map(TrustCheck::isHeld)
        .timeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .otherwise(false);
  }

  private static boolean isHeld(LiveCounters counters) {
    return counters.known() && !counters.trusted();
  }
}
