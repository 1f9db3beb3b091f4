package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The official ALTCHA widget (npm package `altcha`) in Chromium solves a challenge of the real
/// server, and its solution joins a queue once. The work is small, because the widget gives up
/// after 90 seconds. `./fairgate test` downloads the widget; otherwise set `ALTCHA_WIDGET` to its
/// `dist/main/altcha.js`.
class OfficialWidgetIT {
  private static final String PAGE =
      """
      <!doctype html><title>widget</title>
      <script type="module" src="/official/altcha.js"></script>
      <altcha-widget challenge="/api/challenge?product_id=71"></altcha-widget>
      """;
  private static final String SOLVE =
      """
      async () => {
        await customElements.whenDefined('altcha-widget');
        const widget = document.querySelector('altcha-widget');
        return new Promise((resolve, reject) => {
          widget.addEventListener('statechange', ({ detail }) => {
            if (detail.state === 'verified') resolve(detail.payload);
            if (detail.state === 'error') reject(new Error(JSON.stringify(detail)));
          });
          widget.verify();
        });
      }
      """;

  private static void serve(Route route, String type, String body) {
    route.fulfill(new Route.FulfillOptions().setContentType(type).setBody(body));
  }

  @Test
  void aSolutionOfTheWidgetJoinsTheQueueOnce() {
    String named = System.getenv("ALTCHA_WIDGET");
    assertThat(named).as("ALTCHA_WIDGET names the official widget's altcha.js").isNotBlank();
    Path widget = Path.of(named);
    TestEngines engines = TestEngines.shared();
    try (TestFairgate server =
            TestFairgate.start(
                engines,
                engines.freshDatabase(),
                Map.of("challenge.provider", "altcha", "challenge.altcha_cost", "1"));
        Chromium chromium = new Chromium()) {
      server.createProduct("71", 5, "{\"preset\":\"queue\"}");
      server.openSale("71");
      Page page = chromium.page(new Browser.NewContextOptions(), server.baseUrl(), "en");
      page.route("**/official", route -> serve(route, "text/html", PAGE));
      page.route(
          "**/official/altcha.js",
          route ->
              route.fulfill(
                  new Route.FulfillOptions().setContentType("text/javascript").setPath(widget)));
      page.navigate("/official");
      String token = String.valueOf(page.evaluate(SOLVE));

      String join = "{\"product_id\":\"71\",\"turnstile_token\":\"%s\"}".formatted(token);
      assertThat(server.callUntilAccepted("POST", "/api/queue/join", join).statusCode())
          .isEqualTo(200);
      assertThat(server.callUntilAccepted("POST", "/api/queue/join", join).body())
          .contains("INVALID_TURNSTILE_TOKEN");
    }
  }
}
