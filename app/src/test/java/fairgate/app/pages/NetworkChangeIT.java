package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// A buyer's network changes between the check and the join, in Chromium on the real server.
class NetworkChangeIT {
  private static final String WIFI = "198.51.100.7";
  private static final String CARRIER = "203.0.113.7";

  private static void from(String address, Route route) {
    Map<String, String> headers = new HashMap<>(route.request().headers());
    headers.put("x-forwarded-for", address);
    route.resume(new Route.ResumeOptions().setHeaders(headers));
  }

  @Test
  void aBuyerWhoseNetworkChangesDuringTheCheckJoinsWithoutDoingAnything() {
    TestEngines engines = TestEngines.shared();
    Map<String, String> settings =
        Map.of(
            "challenge.provider", "altcha",
            "challenge.altcha_cost", "1",
            "server.trusted_proxies", "127.0.0.1");
    try (TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), settings);
        Chromium chromium = new Chromium()) {
      server.createProduct("73", 5, "{\"preset\":\"queue\"}");
      server.openSale("73");
      Page page = chromium.page(new Browser.NewContextOptions(), server.baseUrl(), "en");
      AtomicInteger challenges = new AtomicInteger();
      List<Integer> joins = new CopyOnWriteArrayList<>();
      page.route(
          "**/api/challenge?**",
          route -> from(challenges.getAndIncrement() == 0 ? WIFI : CARRIER, route));
      page.route("**/api/queue/join", route -> from(CARRIER, route));
      page.onResponse(
          response -> {
            if (response.url().endsWith("/api/queue/join")) {
              joins.add(response.status());
            }
          });

      page.navigate("/p/73");
      page.click("#panel .button.primary");
      var _ =
          Eventually.get(
              "a place in the queue",
              () -> joins + " " + challenges + " " + page.textContent("#panel"),
              _ -> joins.contains(200));
      assertThat(joins).containsExactly(403, 200);
      assertThat(challenges).hasValue(2);
      assertThat(page.isVisible("#panel .note.bad")).isFalse();
    }
  }
}
