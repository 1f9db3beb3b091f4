package fairgate.prove.fault;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.prove.stage.Waiting;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// What operators do in the middle of a sale.
final class OperatorFaults {
  private static final int TRIES = 20;

  private OperatorFaults() {}

  static boolean pause(Site site) {
    String product = product(site);
    if (product.isEmpty() || !insist(site, "/products/" + product + "/pause", null)) {
      return false;
    }
    Waiting.rest(site.about(1_500));
    return insist(site, "/products/" + product + "/resume", null);
  }

  /// The same order to add units, given twice: as after an answer that was lost.
  static boolean addStock(Site site) {
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

  private static String product(Site site) {
    List<String> all = site.products().get();
    return all.isEmpty() ? "" : all.get(site.chance().nextInt(all.size()));
  }

  /// Asks until somebody says yes.
  private static boolean insist(Site site, String path, @Nullable ObjectNode body) {
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
