package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// The rules that matched the callers of a sale, as the server has recorded them. The server names
/// a browser by a hash, so the report counts browsers and does not know which is whose.
///
/// @param rules of each browser; those in observation end with [#OBSERVED]
record Evidence(Map<String, Set<String>> rules) {
  static final Evidence NONE = new Evidence(Map.of());
  static final String OBSERVED = " (observed)";

  private static final int PAGE = 500;

  /// Reads the decisions of a sale; none if the server has no risk.
  static Evidence read(ZooServer server, ShopClient operator, String product) {
    Map<String, Set<String>> rules = new HashMap<>();
    String after = "";
    do {
      Answer page =
          server.admin(
              operator, "GET", "/decisions?limit=" + PAGE + "&product_id=" + product + after);
      for (JsonNode decision : page.body().path("decisions")) {
        String name = decision.path("device").asText(decision.path("decision_id").asText());
        Set<String> matched = rules.computeIfAbsent(name, _ -> new HashSet<>());
        decision.path("reasons").forEach(reason -> matched.add(reason.path("code").asText()));
        decision.path("shadow").forEach(code -> matched.add(code.asText() + OBSERVED));
      }
      String next = page.text("after");
      after = next.isEmpty() ? "" : "&after=" + next;
    } while (!after.isEmpty());
    return new Evidence(rules);
  }

  /// Browsers that at least one of these rules matched.
  int matchedByAny(Set<String> codes) {
    return (int)
        rules.values().stream().filter(one -> one.stream().anyMatch(codes::contains)).count();
  }

  /// Browsers that one of these rules matched, and no other of them.
  int matchedOnlyBy(String code, Set<String> codes) {
    return (int)
        rules.values().stream()
            .filter(one -> one.contains(code))
            .filter(one -> one.stream().filter(codes::contains).count() == 1)
            .count();
  }
}
