package fairgate.app.policies;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.gate.policy.PolicyWorld;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A rollback of the risk policy reaches three nodes within a second.
class PolicyRollbackIT {
  private static final int ROLLBACKS = 9;

  @Test
  void aRollbackReachesThreeNodes() {
    TestEngines engines = TestEngines.shared();
    engines.flushRedis();
    PostgresAddress database = engines.freshDatabase();
    List<TestFairgate> nodes = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        nodes.add(TestFairgate.start(engines, database, Map.of("risk.mode", "enforce")));
      }
      nodes.getFirst().createProduct("7", 5, "{\"preset\": \"queue\"}");
      String bundle =
          PolicyWorld.document("other", PolicyWorld.rule("the_other_rule", "sale_open", 1));
      nodes.getFirst().admin("POST", "/policies", bundle);
      nodes.getFirst().admin("POST", "/policies/2/activate", "{\"confirm\": true}");
      nodes.forEach(node -> await(node, true));
      List<Duration> times = new ArrayList<>();
      for (int i = 0; i < ROLLBACKS; i++) {
        boolean other = i % 2 == 1;
        long start = System.nanoTime();
        nodes.get(i % 3).admin("POST", "/policies/rollback", "");
        nodes.forEach(node -> await(node, other));
        times.add(Duration.ofNanos(System.nanoTime() - start));
      }
      Collections.sort(times);
      System.out.println("rollback on three nodes: " + times);
    } finally {
      nodes.forEach(TestFairgate::close);
    }
  }

  private static void await(TestFairgate node, boolean other) {
    Eventually.await(
        "the node has the version",
        () ->
            node.call("GET", "/p/7", "", "Accept-Language", "en")
                    .body()
                    .contains("About the_other_rule.")
                == other);
  }
}
