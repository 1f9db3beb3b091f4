package fairgate.gate.policy;

import static fairgate.gate.policy.PolicyWorld.denyAll;
import static fairgate.gate.policy.PolicyWorld.publish;
import static fairgate.gate.policy.PolicyWorld.usual;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.testkit.Eventually;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Policies while PostgreSQL does not answer.
@Tag("slow")
class PolicyOutageTest {
  private static String nameFor(PolicyService node, String subject) {
    return node.bundleFor(() -> subject).bundle().name();
  }

  @Test
  void theActiveVersionStaysInUseAndTheCanaryDoesNot() {
    try (TestEngines engines = TestEngines.privateEngines();
        PolicyWorld world = new PolicyWorld(engines)) {
      PolicyService node = world.node();
      var _ = node.activate(publish(node, usual("usual")), true, "ann");
      var _ = node.canary(publish(node, denyAll()), 100, "ann");
      String victim =
          IntStream.range(0, 10_000)
              .mapToObj(i -> "person " + i)
              .filter(person -> nameFor(node, person).equals("deny all"))
              .findFirst()
              .orElseThrow();
      engines.pausePostgres();
      try {
        Eventually.await("nobody has the canary", () -> nameFor(node, victim).equals("usual"));
        assertThat(node.status().degraded()).isTrue();
        assertThatThrownBy(() -> node.rollback(0, "ann")).isInstanceOf(ServiceUnavailable.class);
        assertThat(nameFor(node, victim)).isEqualTo("usual");
      } finally {
        engines.resumePostgres();
      }
      Eventually.await("the node is up to date", () -> !node.status().degraded());
    }
  }
}
