package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeHcaptcha;
import fairgate.testkit.FakeTurnstile;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The page shows a widget, passes it the binding of its tokens, and joins with a token. The
/// widget's script is a fake; its services are the testkit's.
class WidgetPageIT {
  private final Chromium chromium = new Chromium();
  private final FakeTurnstile cloudflare = FakeTurnstile.start(Clock.systemUTC());
  private final FakeHcaptcha hcaptcha = FakeHcaptcha.start(Clock.systemUTC());

  @AfterEach
  void close() {
    chromium.close();
    cloudflare.close();
    hcaptcha.close();
  }

  private static TestFairgate server(String product, Map<String, String> settings) {
    TestEngines engines = TestEngines.shared();
    TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), settings);
    server.createProduct(product, 5, "{\"preset\":\"queue\"}");
    return server;
  }

  /// Joins on the page with tokens of this widget.
  private void join(
      TestFairgate server, String product, String widget, Function<Map<?, ?>, String> issue) {
    Page page = chromium.page(new Browser.NewContextOptions(), server.baseUrl(), "en");
    page.exposeFunction("issue", given -> issue.apply((Map<?, ?>) given[0]));
    page.route(
        url -> url.startsWith("https://"),
        route ->
            route.fulfill(
                new Route.FulfillOptions()
                    .setContentType("text/javascript")
                    .setBody(
                        "window.%s = { render: (place, given) => issue(given).then(given.callback) };"
                            .formatted(widget))));
    Eventually.await(
        "a place, although the widget's service may not reply to the server in time",
        () -> {
          chromium.forgive();
          page.navigate("/p/" + product);
          page.click("#panel .button.primary");
          page.waitForSelector("#problem:not([hidden]), #panel .place strong");
          return page.isVisible("#panel .place strong");
        });
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void turnstileGetsActionAndSessionData() {
    Map<String, String> settings =
        Map.of(
            "challenge.provider", "turnstile",
            "challenge.site_key", "0x4AAA",
            "challenge.secret", FakeTurnstile.SECRET,
            "challenge.strict", "on",
            "challenge.turnstile_url", cloudflare.url());
    try (TestFairgate server = server("9301", settings)) {
      join(
          server,
          "9301",
          "turnstile",
          given -> {
            assertThat(given.get("sitekey")).isEqualTo("0x4AAA");
            return cloudflare.issue(
                "shop",
                String.valueOf(given.get("action")),
                String.valueOf(given.get("cData")),
                Clock.systemUTC().instant());
          });
      // A call without a reply in time is repeated with its key.
      Map<String, Set<String>> keys =
          cloudflare.calls().stream()
              .collect(
                  Collectors.groupingBy(
                      call -> call.fields().getOrDefault("response", ""),
                      Collectors.mapping(
                          call -> call.fields().getOrDefault("idempotency_key", ""),
                          Collectors.toSet())));
      assertThat(keys.values())
          .isNotEmpty()
          .allSatisfy(each -> assertThat(each).hasSize(1).doesNotContain(""));
    }
  }

  @Test
  void hcaptchaGetsItsSiteKey() {
    Map<String, String> settings =
        Map.of(
            "challenge.provider",
            "hcaptcha",
            "challenge.site_key",
            FakeHcaptcha.SITE_KEY,
            "challenge.secret",
            FakeHcaptcha.SECRET,
            "challenge.hcaptcha_url",
            hcaptcha.url());
    try (TestFairgate server = server("9302", settings)) {
      join(
          server,
          "9302",
          "hcaptcha",
          given -> {
            assertThat(given.get("sitekey")).isEqualTo(FakeHcaptcha.SITE_KEY);
            return hcaptcha.issue();
          });
      // After a call without a reply in time, the visitor has to solve the next one.
      assertThat(hcaptcha.calls())
          .isNotEmpty()
          .extracting(fields -> String.valueOf(fields.get("response")))
          .doesNotHaveDuplicates();
    }
  }
}
