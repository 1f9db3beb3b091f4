package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.risk.StepBundle;
import fairgate.testkit.Eventually;
import fairgate.testkit.SliderReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Pages that solve ALTCHA's challenge, in Chromium on the real server.
class AltchaPagesIT {
  private static final String WIFI = "198.51.100.7";
  private static final String CARRIER = "203.0.113.7";

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings());
    chromium = new Chromium();
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = StepBundle.settingsOfPages(folder);
    settings.putAll(
        Map.of(
            "challenge.provider", "altcha",
            "challenge.altcha_cost", "1",
            "messages.sms", "webhook",
            "messages.webhook_url", "http://127.0.0.1:1/send",
            "messages.webhook_secret", "whsec_" + "c2VjcmV0".repeat(5)));
    return settings;
  }

  @AfterAll
  static void stop() {
    chromium.close();
    server.close();
  }

  private static void from(String address, Route route) {
    Map<String, String> headers = new HashMap<>(route.request().headers());
    headers.put("x-forwarded-for", address);
    route.resume(new Route.ResumeOptions().setHeaders(headers));
  }

  @Test
  void aBuyerWhoseNetworkChangesDuringTheCheckJoinsWithoutDoingAnything() {
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

  /// The script for k6 in Node, with stand-ins for the modules of k6: page, challenge, queue,
  /// purchase and payment.
  @Test
  void theScriptForK6BuysAndPaysWithARealChallenge() throws Exception {
    server.createProduct("74", 3, "{\"preset\":\"flash\"}");
    server.openSale("74");
    Process node =
        new ProcessBuilder(
                "node",
                Path.of("..", "testkit", "k6", "run.mjs").toString(),
                Path.of("..", "deploy", "k6", "sale.js").toString(),
                "BASE_URL=" + server.baseUrl(),
                "PRODUCT=74",
                "BUYERS=3",
                "ARRIVAL=0",
                "THINK=0.2",
                "WAIT=30",
                "FORWARDED=yes")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Map<String, Integer> totals =
        new ObjectMapper().readValue(node.getInputStream(), new TypeReference<>() {});
    assertThat(totals)
        .containsEntry("fairgate_joined", 3)
        .containsEntry("fairgate_turns", 3)
        .containsEntry("fairgate_bought", 3)
        .containsEntry("fairgate_paid", 3)
        .doesNotContainKeys("failed", "checks_failed");
  }

  @Test
  void aCodeForANewPasswordIsSentAfterTheCheck() {
    Map<String, String> phones =
        Map.of("en", "+886912345671", "zh-TW", "+886912345672", "zh-CN", "+886912345673");
    for (String locale : phones.keySet()) {
      Page page =
          chromium.page(
              new Browser.NewContextOptions().setViewportSize(360, 740).setBypassCSP(true),
              server.baseUrl(),
              locale);
      page.navigate("/account/reset");
      shoot(page, "reset-phone-" + locale);
      assertThat(barriers(page)).isEmpty();
      page.fill("[name=contact]", phones.get(locale));
      page.click("#ask .button");
      page.waitForSelector("[name=code]");
      Page plain =
          chromium.page(
              new Browser.NewContextOptions()
                  .setViewportSize(1200, 800)
                  .setJavaScriptEnabled(false),
              server.baseUrl(),
              locale);
      plain.navigate("/account/reset");
      assertThat(plain.isVisible(".note.warn")).isTrue();
      shoot(plain, "reset-plain-" + locale);
    }
  }

  /// A page that has been asked for the slider, and the picture that it shows.
  private record Asked(Page page, String offer) {}

  private static Asked slider(String locale, int width) {
    Page page =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(width, 740).setBypassCSP(true),
            server.baseUrl(),
            locale);
    page.route("**/api/**", route -> from(StepBundle.SLIDER, route));
    page.navigate("/p/75");
    return new Asked(
        page,
        page.waitForResponse(
                response -> response.url().endsWith("level=slider"),
                () -> page.click("#panel .button.primary"))
            .text());
  }

  private static void joined(Page page) {
    page.waitForURL("**/p/75");
    page.waitForSelector(
        "body[data-stage=waiting], body[data-stage=active], body[data-stage=ready]");
    assertThat(page.isVisible("#panel .note.bad")).isFalse();
  }

  @Test
  void theSliderIsMovedByKeysOrByThePointerOrReplacedByACalculation() {
    server.createProduct("75", 5, "{\"preset\":\"queue\"}");
    server.openSale("75");

    Asked keys = slider("en", 360);
    keys.page().waitForSelector("#slider input");
    shoot(keys.page(), "step-slider-en");
    assertThat(barriers(keys.page())).isEmpty();
    keys.page().focus("#slider input");
    assertThat(keys.page().getAttribute("#slider input", "aria-valuetext"))
        .isEqualTo("0 % from the left");
    for (int i = SliderReader.read(keys.offer()); i > 0; i--) {
      keys.page().keyboard().press("ArrowRight");
    }
    assertThat(keys.page().getAttribute("#slider input", "aria-valuetext"))
        .matches("[1-9]\\d* % from the left");
    keys.page().keyboard().press("Tab");
    keys.page().keyboard().press("Enter");
    joined(keys.page());

    Asked pointer = slider("zh-TW", 1200);
    var piece = pointer.page().locator(".piece").boundingBox();
    double scale = pointer.page().locator(".slide").boundingBox().width / 320;
    double x = piece.x + piece.width / 3;
    double y = piece.y + piece.height / 1.5;
    pointer.page().mouse().move(x, y);
    pointer.page().mouse().down();
    pointer.page().mouse().move(x + SliderReader.read(pointer.offer()) * scale, y);
    pointer.page().mouse().up();
    shoot(pointer.page(), "step-slider-zh");
    pointer.page().click("#slider .primary");
    joined(pointer.page());

    Asked other = slider("zh-CN", 360);
    other.page().click("#slider .primary");
    other.page().waitForSelector("#step-problem:visible");
    other.page().click("#work");
    joined(other.page());
  }
}
