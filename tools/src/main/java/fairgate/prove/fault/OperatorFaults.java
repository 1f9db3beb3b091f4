package fairgate.prove.fault;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.prove.environment.Waiting;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Operator's actions during a sale.
final class OperatorFaults {
  private static final int TRIES = 20;

  /// The first id of sales without buyers.
  private static final long AHEAD = 8_000_000_000L;

  private static final String FAR_AHEAD = "2199-01-01T00:00:00Z";

  private OperatorFaults() {}

  static boolean pause(FaultContext site) {
    String product = product(site);
    if (product.isEmpty() || !insist(site, "/products/" + product + "/pause", null)) {
      return false;
    }
    Waiting.rest(site.about(1_500));
    return insist(site, "/products/" + product + "/resume", null);
  }

  /// Pauses and resumes an extra sale that opens much later: neither may open it or release its
  /// units.
  static boolean pauseAhead(FaultContext site) {
    String product = Long.toString(AHEAD + site.chance().nextInt(1_000_000));
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", product)
            .put("name", "Not due")
            .put("price", 100)
            .put("total_stock", 10);
    body.putObject("policy").put("preset", "queue").put("opens_at", FAR_AHEAD);
    if (!insist(site, "/products", body)
        || !insist(site, "/products/" + product + "/pause", null)) {
      return false;
    }
    Waiting.rest(site.about(500));
    return insist(site, "/products/" + product + "/resume", null);
  }

  /// The same order to add units, given twice: as after an answer that was lost.
  static boolean addStock(FaultContext site) {
    String product = product(site);
    if (product.isEmpty()) {
      return false;
    }
    ObjectNode batch =
        JsonNodeFactory.instance
            .objectNode()
            .put("quantity", 1 + site.chance().nextInt(10))
            .put("key", new UUID(site.chance().nextLong(), site.chance().nextLong()).toString());
    String path = "/products/" + product + "/stock";
    boolean first = insist(site, path, batch);
    boolean again = insist(site, path, batch);
    return first && again;
  }

  private static String product(FaultContext site) {
    List<String> all = site.products().get();
    return all.isEmpty() ? "" : all.get(site.chance().nextInt(all.size()));
  }

  /// Repeats the call until it succeeds.
  static boolean insist(FaultContext site, String path, @Nullable ObjectNode body) {
    for (int i = 0; i < TRIES; i++) {
      Answer answer = site.crowd().admin(path, body);
      if (answer.status() / 100 == 2) {
        return true;
      }
      if (!answer.unknown() && answer.status() < 500) {
        return false;
      }
      Waiting.rest(200);
    }
    return false;
  }
}
