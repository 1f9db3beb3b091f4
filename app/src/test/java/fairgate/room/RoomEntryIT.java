package fairgate.room;

import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.pages.Chromium;
import fairgate.testkit.Eventually;
import fairgate.testkit.ForeignShop;
import fairgate.testkit.FrontProxy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Visitors in Chromium who wait on one host and enter on another, and buyers who wait before a
/// sale of the own shop.
class RoomEntryIT {
  /// Chromium resolves names below `localhost` to the loopback address, and trusts them as if they
  /// had https.
  private static final String SHOP = "shop.localhost";

  private static final String WAIT = "wait.localhost";

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  /// The shipped configuration of nginx, without TLS, with the names of this test.
  private static FrontProxy proxy(int shop) throws IOException {
    String servers =
        Files.readString(Path.of("../deploy/room/nginx.conf"))
            .replace("127.0.0.1:8080", "127.0.0.1:" + server.port())
            .replace("127.0.0.1:9000", "127.0.0.1:" + shop)
            .replace("https://wait.example.com", "http://" + WAIT + ":" + server.port())
            .replace("shop.example.com", SHOP)
            .replace("listen 443 ssl http2;", "listen 127.0.0.1:$PORT0;")
            .lines()
            .filter(line -> !line.strip().startsWith("ssl_certificate"))
            .collect(Collectors.joining("\n", "", "\n"));
    return FrontProxy.nginx(servers, 1);
  }

  private Page page(String base) {
    return chromium.page(new Browser.NewContextOptions().setViewportSize(390, 800), base, "en");
  }

  private static void awaitHead(String room) {
    Eventually.await(
        "the room has a head",
        () -> server.call("GET", "/q/" + room + "/head", "").statusCode() == 200);
  }

  @Test
  void aVisitorWaitsOnTheRoomsHostAndEntersOnTheShops() throws IOException {
    server.admin(
        "PUT",
        "/rooms/shop",
        """
        {"hosts": ["%s"], "mode": "on", "capacity": 100, "rate": 1000, "paused": true,
         "challenge": false, "return_url": "http://%s/"}
        """
            .formatted(SHOP, SHOP));
    awaitHead("shop");
    try (ForeignShop shop = ForeignShop.start();
        FrontProxy nginx = proxy(shop.port())) {
      String own = "http://" + SHOP + ":" + nginx.port(0);
      String wanted = own + "/shop/cart?item=7&size=L%2FXL";
      Page page = page(own);
      Chromium.hurry(page);
      List<String> hosts = new ArrayList<>();
      page.onFrameNavigated(frame -> hosts.add(URI.create(frame.url()).getHost()));
      page.navigate(wanted);
      page.waitForSelector("#room[data-stage='paused']");
      assertThat(URI.create(page.url()).getHost()).isEqualTo(WAIT);
      assertThat(shop.visits()).isEmpty();
      shoot(page, "room-4-other-host");
      server.admin("PATCH", "/rooms/shop", "{\"paused\": false}");
      page.waitForURL(wanted);
      assertThat(page.textContent("body")).startsWith("shop: GET /shop/cart?item=7&size=L%2FXL");
      assertThat(hosts).containsSubsequence(WAIT, SHOP);
      Cookie pass =
          page.context().cookies().stream()
              .filter(cookie -> cookie.name.equals("fairgate_pass_shop"))
              .findFirst()
              .orElseThrow();
      assertThat(pass.domain).isEqualTo(SHOP);
      assertThat(pass.httpOnly).isTrue();
      assertThat(pass.value).isEqualTo(shop.visits().getLast().headers().get("x-fairgate-pass"));

      // A return URL that nobody signed leads to the room's own address, not to the forged one.
      Page forged = page(own);
      forged.navigate("http://" + WAIT + ":" + server.port() + "/q/shop/?return=aHR0cHM6Ly9ldmls");
      assertThat(forged.content()).doesNotContain("evil");
      forged.close();
    }
    chromium.forgive();
  }

  @Test
  void aBuyerWaitsInTheRoomBeforeASaleAndJoinsIt() {
    String sale = "8801";
    server.createProduct(sale, 5, "{\"preset\": \"queue\"}");
    server.admin(
        "PUT",
        "/rooms/drop",
        """
        {"sale": "%s", "hosts": ["127.0.0.1"], "return_url": "%s/p/%s#join", "mode": "on",
         "capacity": 100, "rate": 1000, "paused": true, "challenge": false, "titles": {"en": "The Drop"}}
        """
            .formatted(sale, server.baseUrl(), sale));
    awaitHead("drop");
    Page page = page(server.baseUrl());
    Chromium.hurry(page);
    page.navigate("/p/" + sale);
    page.waitForSelector("body[data-stage='idle']");
    page.click("#panel .button.primary");
    page.waitForURL("**/q/drop/");
    page.waitForSelector("#room[data-ahead='0']");
    assertThat(page.textContent("h1")).isEqualTo("The Drop");
    assertThat(page.textContent("#room .facts div:last-child dd"))
        .as("people who wait")
        .isEqualTo("1");
    shoot(page, "room-5-before-a-sale");
    server.admin("PATCH", "/rooms/drop", "{\"paused\": false}");
    page.waitForURL("**/p/" + sale);
    page.waitForSelector("body[data-stage='waiting']");
    server.openSale(sale);
    page.waitForSelector("body[data-stage='ready']");
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  @Test
  void aVisitorLeavesTheRoom() {
    server.admin(
        "PUT",
        "/rooms/leave",
        """
        {"hosts": ["127.0.0.1"], "mode": "on", "paused": true, "challenge": false,
         "return_url": "%s/"}
        """
            .formatted(server.baseUrl()));
    awaitHead("leave");
    Page page = page(server.baseUrl());
    page.navigate("/q/leave/");
    page.waitForSelector("#room[data-ahead='0']");
    page.click("#room .button.text");
    page.waitForSelector("#room[data-stage='gone']");
    assertThat(page.locator("#room .note:visible").count()).isZero();
    Eventually.await(
        "the head counts the visitor as gone",
        () -> server.call("GET", "/q/leave/head", "").body().contains("\"gone\":[1]"));
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }
}
