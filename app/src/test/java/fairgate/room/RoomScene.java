package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.pages.Chromium;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/// A server, Chromium, and visitors of waiting rooms with and without a browser.
abstract class RoomScene {
  static final ObjectMapper JSON = new ObjectMapper();

  @SuppressWarnings("NullAway.Init")
  static TestFairgate server;

  final Chromium chromium = new Chromium();

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  static void room(String id, String more) {
    server.admin(
        "PUT",
        "/rooms/" + id,
        """
        {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 1, "rate": 1000,
         "titles": {"en": "The Tour"}, "return_url": "%s/docs"%s}
        """
            .formatted(server.baseUrl(), more));
    Eventually.await(
        "the room has a head",
        () -> server.call("GET", "/q/" + id + "/head", "").statusCode() == 200);
  }

  /// A visitor without a browser.
  record Visitor(String place, String secret) {
    static Visitor join(String room) {
      byte[] secret = new byte[32];
      String hold = KeyBinding.ofSecret(secret).value();
      HttpResponse<String> joined =
          server.callUntilAccepted(
              "POST",
              "/q/" + room + "/join",
              "{\"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\", \"hold\": \"" + hold + "\"}");
      assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
      return new Visitor(text(joined.body(), "place"), text);
    }

    String body() {
      return "{\"place\": \"" + place + "\", \"secret\": \"" + secret + "\"}";
    }

    /// Enters, and returns the cookie with the pass.
    String enter(String room) {
      HttpResponse<String> entered =
          Eventually.get(
              "the turn has come",
              () ->
                  server.call(
                      "POST", "/q/" + room + "/enter", body(), "Accept", "application/json"),
              answer -> answer.statusCode() == 200);
      URI location = URI.create(text(entered.body(), "location"));
      HttpResponse<String> passed =
          server.callUntilAccepted("GET", location.getRawPath() + '?' + location.getRawQuery(), "");
      String cookie =
          passed.headers().allValues("set-cookie").stream()
              .filter(it -> it.startsWith("fairgate_pass_"))
              .findFirst()
              .orElseThrow();
      return cookie.substring(0, cookie.indexOf(';'));
    }
  }

  /// The visitor with this pass leaves the shop.
  static void release(String room, String pass) {
    HttpResponse<String> released =
        server.callUntilAccepted("POST", "/q/" + room + "/release", "", "Cookie", pass);
    assertThat(released.statusCode()).as(released.body()).isEqualTo(204);
  }

  private static String text(String json, String field) {
    try {
      return JSON.readTree(json).path(field).asText();
    } catch (IOException e) {
      throw new AssertionError(json, e);
    }
  }

  Page open(String path, boolean script) {
    Page page = blank(script);
    page.navigate(path);
    return page;
  }

  /// As `open`, a page that looks at its room several times a second.
  Page hurried(String path) {
    Page page = blank(true);
    Chromium.hurry(page);
    page.navigate(path);
    return page;
  }

  private Page blank(boolean script) {
    return chromium.page(
        new Browser.NewContextOptions()
            .setViewportSize(390, 800)
            .setBypassCSP(true)
            .setJavaScriptEnabled(script),
        server.baseUrl(),
        "en");
  }
}
