package fairgate.app.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.app.TestFairgate;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import picocli.CommandLine;

/// Runs crowds of the attack zoo with few people.
class ZooIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> NETWORK_LIMITS =
      List.of("places_per_ip", "places_per_network", "units_per_ip");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private int rehearse(List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("rehearse", "--report", page().toString()));
    all.addAll(arguments);
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(err, true));
    return commands.execute(all.toArray(String[]::new));
  }

  private Path page() {
    return folder.resolve("zoo.html");
  }

  /// A policy without limits of networks.
  private static String withoutLimits(TestFairgate server) throws IOException {
    server.createProduct("1", 1, "{}");
    JsonNode policy = JSON.readTree(server.admin("GET", "/products/1", "")).path("policy");
    ObjectNode changes = JSON.createObjectNode();
    NETWORK_LIMITS.stream().filter(policy::has).forEach(changes::putNull);
    return changes.toString();
  }

  @Test
  @Execution(CONCURRENT)
  void withoutLimitsACrowdThatCheatsBreaksItsLineAndProgramsThatTakeOverPlacesBuyAfterPeople()
      throws IOException {
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1", "risk.mode", "enforce"))) {
      List<String> arguments = new ArrayList<>();
      arguments.addAll(List.of("--crowd", "b,e,k", "--honest", "8", "--scale", "0.08"));
      arguments.addAll(List.of("--url", server.baseUrl()));
      arguments.addAll(List.of("--operator-token", TestFairgate.OPERATOR));
      arguments.addAll(List.of("--policy", withoutLimits(server)));
      assertThat(rehearse(arguments)).as(err + "\n" + out).isOne();
    }
    assertThat(out.toString())
        .as("40 scripts take two units each")
        .containsPattern("\\(b\\) +device +units of 1,000 +BROKEN +80 +at most 50\n")
        .containsPattern("\\(b\\) +one IPv6 /48, no cookies +device +40 +40 +80 +8 ")
        .containsPattern("\\(b\\) +honest visitors +device +8 +8 +8 ")
        .contains("1 are broken")
        .as("the units in the replies are those of the server")
        .doesNotContain("Faults");
    assertThat(out.toString())
        .containsPattern("\\(e\\) +device +% of its units bought in front +holds +0 +at most 5\n")
        .containsPattern("\\(e\\) +device +% of honest visitors who bought nothing +holds +0 ")
        .containsPattern("\\(e\\) +device +refusals without an accepted appeal +holds +0 ")
        .as("four programs are behind, no honest visitor is, and three have appealed")
        .containsPattern("\\(e\\) +humans at the gate, a bot after it +device +4 +4 +0 +8 +0 +3\n");
    assertThat(out.toString())
        .as("programs that move in straight lines are found by that alone, and no person is")
        .containsPattern("\\(k\\) +device +% found by its movement +holds +100 +more than 50\n")
        .containsPattern("\\(k\\) .* straight_movement \\(observed\\) +100 +100 +0\n");
    assertThat(Files.readString(page()))
        .contains("Contract", "units of 1,000", "BROKEN")
        .as("one page that needs nothing else")
        .doesNotContain("<script", "<link", "src=", "http://", "https://");
  }

  /// Networks count only where limits are on.
  @Test
  @Execution(CONCURRENT)
  void oneAddressThatNeverBuysHoldsTheLineForOneWindow() {
    Map<String, String> settings =
        Map.of(
            "server.trusted_proxies", "127.0.0.1",
            "limits", "on",
            "limit.budget_ms", "5000",
            "limit.join_new", "off");
    // The other test's server has the shared ones at the same time.
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), settings)) {
      List<String> arguments = new ArrayList<>();
      arguments.addAll(List.of("--crowd", "i", "--honest", "4"));
      arguments.addAll(List.of("--url", server.baseUrl()));
      arguments.addAll(List.of("--operator-token", TestFairgate.OPERATOR));
      assertThat(rehearse(arguments)).as(err + "\n" + out).isZero();
    }
    assertThat(out.toString())
        .containsPattern("\\(i\\) +device +longest delay, s +holds ")
        .containsPattern("\\(i\\) +one address that never buys +device +5 +5 ")
        .containsPattern("\\(i\\) +honest visitors +device +4 +4 +4 ");
  }

  @Test
  void unusableArgumentsAreExplained() {
    assertThat(rehearse(List.of("--crowd", "a,z"))).isEqualTo(2);
    assertThat(rehearse(List.of("--zoo", "--scale", "2"))).isEqualTo(2);
    assertThat(rehearse(List.of("--zoo", "--policy", "flash"))).isEqualTo(2);
    assertThat(err.toString())
        .contains("--crowd: some of [a, b, c, d, e, f, g, h, i, j, k], not z")
        .contains("--scale: above 0, at most 1")
        .contains("--policy: not a JSON object: flash");
  }
}
