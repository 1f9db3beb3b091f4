package fairgate.prove.fault;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.ImpatientBuyer;
import fairgate.crowd.proof.SaleTerms;
import fairgate.prove.check.Names;
import fairgate.prove.environment.CallLimit;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Master;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/// A client calls an extra sale without a pause while it cannot be served, more often than any
/// limit permits: first with Redis counting, then without Redis.
final class RefusedCalls {
  /// Where the ids of its sales begin.
  private static final long OWN = 7_000_000_000L;

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration BACK = Duration.ofSeconds(60);
  private static final int UNAVAILABLE = 503;
  private static final int TOO_MANY = 429;

  private RefusedCalls() {}

  static boolean strike(FaultContext site) throws IOException {
    String product = Long.toString(OWN + site.chance().nextInt(1_000_000));
    ImpatientBuyer buyer = site.crowd().hasty(new SaleTerms(product, 1, false, 0, false));
    if (!opened(site, product) || !Waiting.holds(PATIENCE, () -> buyer.join().ok())) {
      return false;
    }
    Engines engines = site.engines();
    Master master = engines.master(product);
    boolean often;
    engines.killPostgres();
    try {
      try (Resp redis = master.open()) {
        // The sale cannot be rebuilt now.
        Object _ = redis.value("DEL", Names.of(product, engines.clustered()).sale());
      }
      often = isRefusedOften(buyer);
      master.kill();
      long from = System.nanoTime();
      often &= isRefusedOften(buyer);
      boolean _ = site.outage(master, from);
      master.back();
    } finally {
      engines.postgresBack();
    }
    return often
        && Waiting.holds(BACK, () -> isServed(buyer.join()))
        && Waiting.holds(BACK, () -> isServed(buyer.purchase()));
  }

  private static boolean opened(FaultContext site, String product) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", product)
            .put("name", "Asked for without a pause")
            .put("price", 100)
            .put("total_stock", 10);
    body.putObject("policy").put("preset", "queue");
    return OperatorFaults.insist(site, "/products", body)
        && OperatorFaults.insist(site, "/products/" + product + "/open", null);
  }

  /// Calls until more calls were answered 503 than each limit allows; false when that does not come
  /// about. One that a limit refuses ends it: the journal has it.
  private static boolean isRefusedOften(ImpatientBuyer buyer) {
    Map<CallLimit, Integer> unserved = new EnumMap<>(CallLimit.class);
    return Waiting.holds(
        PATIENCE,
        () -> {
          for (CallLimit limit : CallLimit.values()) {
            if (unserved.getOrDefault(limit, 0) <= limit.max()) {
              Answer answer = limit == CallLimit.JOIN ? buyer.join() : buyer.purchase();
              if (answer.status() == TOO_MANY) {
                return true;
              }
              int more = answer.status() == UNAVAILABLE ? 1 : 0;
              int _ = unserved.merge(limit, more, Integer::sum);
            }
          }
          return Arrays.stream(CallLimit.values())
              .allMatch(limit -> unserved.getOrDefault(limit, 0) > limit.max());
        });
  }

  private static boolean isServed(Answer answer) {
    return !answer.unknown() && answer.status() < 500;
  }
}
