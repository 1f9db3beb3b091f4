package fairgate.app.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The alert rules and the Grafana board name metrics that exist, the rules fire when they should,
/// and each leads to its section of the runbook.
class MonitoringFilesTest {
  private static final Path DEPLOY = Path.of("../deploy");
  private static final Path PROMETHEUS = DEPLOY.resolve("prometheus");
  private static final Path DOCS = Path.of("../docs/operate");
  private static final Pattern METRIC = Pattern.compile("\\bfairgate_\\w+");
  private static final Pattern LISTED = Pattern.compile("`(fairgate_\\w+)`");
  private static final Pattern QUERY =
      Pattern.compile("\\|[^|]*\\| `([^`]*(?:fairgate_|process_)[^`]*)` \\|");
  private static final Pattern HEADING = Pattern.compile("(?m)^## (.+)$");

  @ParameterizedTest
  @ValueSource(strings = {"fairgate-alerts", "fairgate-service-alerts", "fairgate-slo"})
  void theRulesFireWhenTheyShould(String rules) throws Exception {
    promtool("check", "rules", rules + ".yaml");
    promtool("test", "rules", rules + "-test.yaml");
  }

  private static void promtool(String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("promtool");
    builder.command().addAll(List.of(words));
    Process process = builder.directory(PROMETHEUS.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fairgate-alerts", "fairgate-service-alerts", "fairgate-slo"})
  void everyRuleHasATest(String file) throws IOException {
    JsonNode rules = yaml(file + ".yaml").at("/groups/0/rules");
    Set<String> tested = new TreeSet<>();
    for (JsonNode test : yaml(file + "-test.yaml").path("tests")) {
      for (JsonNode alert : test.path("alert_rule_test")) {
        if (!alert.path("exp_alerts").isEmpty()) {
          tested.add(alert.path("alertname").asText());
        }
      }
    }
    assertThat(rules).isNotEmpty();
    assertThat(tested).containsAll(rules.findValuesAsText("alert"));
  }

  @Test
  void everyRuleLeadsToItsSectionOfTheRunbook() throws IOException {
    Set<String> sections =
        HEADING
            .matcher(Files.readString(DOCS.resolve("runbook.md")))
            .results()
            .map(match -> match.group(1).toLowerCase(Locale.ROOT).replace(' ', '-'))
            .collect(Collectors.toSet());
    for (JsonNode rule : yaml("fairgate-service-alerts.yaml").at("/groups/0/rules")) {
      String[] link = rule.at("/annotations/runbook").asText().split("#", 2);
      assertThat(link[0]).isEqualTo("docs/operate/runbook.md");
      assertThat(sections).contains(link[1]);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "prometheus/fairgate-alerts.yaml",
        "prometheus/fairgate-service-alerts.yaml",
        "prometheus/fairgate-slo.yaml",
        "grafana/fairgate.json"
      })
  void everyMetricIsOnThePage(String file) throws IOException {
    Set<String> listed =
        LISTED
            .matcher(Files.readString(DOCS.resolve("metrics.md")))
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toSet());
    Set<String> named =
        METRIC
            .matcher(Files.readString(DEPLOY.resolve(file)))
            .results()
            .map(match -> match.group().replaceAll("_(bucket|count|sum)$", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).isNotEmpty();
    named.removeAll(listed);
    assertThat(named).isEmpty();
  }

  @Test
  void theFiguresOnThePageAreValidQueries(@TempDir Path folder) throws Exception {
    List<String> queries =
        Files.readString(DOCS.resolve("metrics.md"))
            .lines()
            .map(QUERY::matcher)
            .filter(Matcher::matches)
            .map(line -> line.group(1))
            .toList();
    assertThat(queries).hasSizeGreaterThan(20);
    Path rules = folder.resolve("figures.json");
    ObjectMapper json = new ObjectMapper();
    ArrayNode all = json.createArrayNode();
    queries.forEach(query -> all.addObject().put("record", "figure").put("expr", query));
    ObjectNode group = json.createObjectNode().put("name", "figures").set("rules", all);
    json.writeValue(
        rules.toFile(), json.createObjectNode().set("groups", json.createArrayNode().add(group)));
    promtool("check", "rules", "--lint=none", rules.toString());
  }

  @Test
  void theBoardIsValidJson() throws IOException {
    JsonNode board = new ObjectMapper().readTree(DEPLOY.resolve("grafana/fairgate.json").toFile());
    assertThat(board.path("panels").findValuesAsText("expr")).hasSizeGreaterThan(20);
  }

  private static JsonNode yaml(String file) throws IOException {
    return new YAMLMapper().readTree(PROMETHEUS.resolve(file).toFile());
  }
}
