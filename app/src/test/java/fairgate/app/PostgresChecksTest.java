package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.Finding;
import fairgate.platform.postgres.PostgresFitness;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PostgresChecksTest {
  private static final Map<String, String> DURABLE =
      Map.of("fsync", "on", "full_page_writes", "on", "synchronous_commit", "on");

  private static List<Finding> findings(Map<String, String> others) {
    Map<String, String> durability = new HashMap<>(DURABLE);
    durability.putAll(others);
    return PostgresChecks.findings(
        new PostgresFitness("PostgreSQL 18.1", true, "words", durability));
  }

  @Test
  void aDurableDatabaseHasNoFindings() {
    assertThat(findings(Map.of())).isEmpty();
    assertThat(findings(Map.of("synchronous_commit", "remote_apply"))).isEmpty();
  }

  @Test
  void anUnfitDatabaseIsRefused() {
    assertThat(PostgresChecks.findings(new PostgresFitness("", false, "takes no writes", DURABLE)))
        .containsExactly(new Finding.Refused("postgresql: takes no writes"));
  }

  @Test
  void aDatabaseThatDoesNotSyncIsRefused() {
    assertThat(findings(Map.of("fsync", "off")))
        .singleElement()
        .isInstanceOf(Finding.Refused.class)
        .extracting(Finding::text)
        .asString()
        .startsWith("postgresql fsync off: when the machine dies");
  }

  @Test
  void settingsThatLoseAcknowledgedCommitsAreWarnings() {
    assertThat(findings(Map.of("full_page_writes", "off", "synchronous_commit", "off")))
        .hasSize(2)
        .allSatisfy(
            finding ->
                assertThat(finding)
                    .isInstanceOf(Finding.Warning.class)
                    .extracting(Finding::text)
                    .asString()
                    .contains("off: when the machine dies"));
  }
}
