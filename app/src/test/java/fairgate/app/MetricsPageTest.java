package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// `docs/operate/metrics.md` lists all metrics, and the alert rules can fire at the first event.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsPageTest {
  private static final Pattern LISTED = Pattern.compile("`((?:fairgate|processing)_\\w+)`");
  private static final Pattern SERIES =
      Pattern.compile("((?:fairgate|processing)_\\w+)(?:\\{(\\w+)=~?\"([^\"]+)\"})?");

  private static final Path RULES = Path.of("../deploy/prometheus/fairgate-service-alerts.yaml");

  private String page = "";
  private TestFairgate server;
  private List<String> scraped = List.of();

  @BeforeAll
  void start() throws IOException {
    page = Files.readString(Path.of("../docs/operate/metrics.md"));
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits", "on",
                "line.channel_secret", "line-channel-secret-of-the-tests",
                "line.channel_token", "line-channel-token-of-the-tests",
                "order_system.url", "http://127.0.0.1:1",
                "webhooks.url", "http://127.0.0.1:1",
                "webhooks.secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"));
    server.admin(
        "POST",
        "/products",
        "{\"id\": \"7\", \"name\": \"Ticket\", \"price\": 100, \"total_stock\": 1}");
    String metrics =
        Eventually.get(
            "the sale has metrics",
            () -> server.metrics().body(),
            body -> body.contains("fairgate_sale_units{"));
    scraped = metrics.lines().filter(line -> !line.startsWith("#")).toList();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void everyMetricIsOnThePage() {
    Set<String> listed = new TreeSet<>();
    page.lines()
        .filter(line -> line.startsWith("|"))
        .flatMap(line -> LISTED.matcher(line).results())
        .forEach(match -> listed.add(match.group(1)));

    Set<String> missing =
        scraped.stream()
            .map(line -> line.replaceAll("[{ ].*", "").replaceAll("_(bucket|count|sum|max)$", ""))
            .filter(name -> name.startsWith("fairgate_") || name.startsWith("processing_"))
            .filter(name -> !listed.contains(name))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(missing).isEmpty();
  }

  @Test
  void theMetricsOfAlertsExistBeforeTheFirstEvent() throws IOException {
    String alerts = Files.readString(RULES);
    assertThat(alerts).contains("fairgate_dead_letters");
    // Some are read from the engines, moments after the start.
    var _ =
        Eventually.get("the metrics of all alerts", () -> absent(alerts, scrape()), Set::isEmpty);
  }

  private List<String> scrape() {
    return server.metrics().body().lines().filter(line -> !line.startsWith("#")).toList();
  }

  private static Set<String> absent(String alerts, List<String> series) {
    Set<String> absent = new TreeSet<>();
    for (MatchResult alert : SERIES.matcher(alerts).results().toList()) {
      String[] values = alert.group(3) == null ? new String[] {""} : alert.group(3).split("\\|");
      for (String value : values) {
        String tag = value.isEmpty() ? "" : "%s=\"%s\"".formatted(alert.group(2), value);
        if (series.stream().noneMatch(line -> isOf(line, alert.group(1)) && line.contains(tag))) {
          absent.add(alert.group(1) + ' ' + tag);
        }
      }
    }
    return absent;
  }

  private static boolean isOf(String line, String name) {
    return line.startsWith(name + '{') || line.startsWith(name + ' ');
  }
}
