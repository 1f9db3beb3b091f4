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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `docs/operate/metrics.md` lists all metrics, its queries find them, and the alert rules can fire
/// at the first event.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsPageTest {
  private static final Pattern LISTED = Pattern.compile("`((?:fairgate|processing)_\\w+)`");
  private static final Pattern SERIES =
      Pattern.compile("((?:fairgate|processing)_\\w+)(?:\\{(\\w+)=~?\"([^\"]+)\"})?");

  private static final Path RULES = Path.of("../deploy/prometheus");

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

  @ParameterizedTest
  @ValueSource(strings = {"fairgate-service-alerts.yaml", "fairgate-alerts.yaml"})
  void theMetricsOfAlertsExistBeforeTheFirstEvent(String file) throws IOException {
    String alerts = Files.readString(RULES.resolve(file));
    assertThat(alerts).contains("fairgate_");
    // Some are read from the engines, moments after the start.
    var _ =
        Eventually.get("the metrics of all alerts", () -> absent(alerts, scrape()), Set::isEmpty);
  }

  @Test
  void theFiguresOfASaleCanBeQueriedBeforeTheFirstEvent() {
    String figures = page.split("## Figures of a flash sale", 2)[1].split("\n## ", 2)[0];
    assertThat(figures).contains("成功下单数/秒", "拒绝率", "同一指纹失败次数", "同一IP并发数", "风控触发率", "误杀率", "指纹冲突比");
    // A limit appears with its first refusal, and no request has failed.
    String first =
        figures.replace("fairgate_limit_refused_total", "").replace("{status=~\"5..\"}", "");
    var _ = Eventually.get("all figures", () -> absent(first, scrape()), Set::isEmpty);
  }

  @Test
  void theBoundOfTheServiceLevelsIsABucket() throws IOException {
    assertThat(Files.readString(RULES.resolve("fairgate-slo.yaml"))).contains("le=\"0.1\"");
    var _ =
        Eventually.get(
            "a bucket of 100 ms",
            this::scrape,
            lines ->
                lines.stream()
                    .filter(line -> line.startsWith("fairgate_http_requests_seconds_bucket{"))
                    .anyMatch(line -> line.contains("le=\"0.1\"")));
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
