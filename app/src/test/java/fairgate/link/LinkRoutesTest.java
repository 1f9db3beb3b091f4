package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.http.Method;
import fairgate.platform.http.Route;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Making and managing short links over HTTP, on one node.
@Tag("journey")
class LinkRoutesTest {
  private static LinkWorld world;
  private static TestFairgate node;

  @BeforeAll
  static void start() {
    world = new LinkWorld(TestEngines.shared(), 1, Map.of());
    node = world.node(0);
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  @BeforeEach
  void stranger() {
    world.stranger();
  }

  private static List<String> codes() {
    List<String> codes = new ArrayList<>();
    LinkWorld.json(world.call("GET", "/api/v1/shortlinks", ""))
        .path("links")
        .forEach(link -> codes.add(link.path("code").asText()));
    return codes;
  }

  @Test
  void linksOfAnAccountAreItsOwnOnAllItsDevices() {
    String name = world.member();
    String code = world.link("https://example.com/");
    // Another browser: another device cookie.
    world.stranger();
    assertThat(codes()).isEmpty();
    String token = world.signIn(name);
    assertThat(codes()).containsExactly(code);
    String second = world.link("https://example.com/2");
    world.stranger();
    // A program with the session's token.
    String[] bearer = {"Authorization", "Bearer " + token};
    assertThat(node.call("GET", "/api/v1/shortlinks", "", bearer).body()).contains(code, second);
    assertThat(node.call("DELETE", "/api/v1/shortlinks/" + code, "", bearer).statusCode())
        .isEqualTo(200);
    assertThat(world.status(node, code)).isEqualTo(410);
  }

  @Test
  void whoSignsInTakesAlongWhatTheBrowserMadeBeforeAndTheNextOneDoesNot() {
    String guests = world.link("https://example.com/guest");
    String name = world.member();
    assertThat(codes()).containsExactly(guests);
    String own = world.link("https://example.com/own");
    world.signOut();
    assertThat(codes()).isEmpty();
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + own, "").statusCode()).isEqualTo(404);
    assertThat(world.member()).isNotEqualTo(name);
    assertThat(codes()).isEmpty();
    assertThat(world.call("GET", "/api/v1/shortlinks/" + own, "").statusCode()).isEqualTo(404);
    world.stranger();
    var _ = world.signIn(name);
    assertThat(codes()).containsExactlyInAnyOrder(guests, own);
  }

  @Test
  void aLinkIsLedElsewhereByItsOwnerOnly() {
    String code = world.link("https://example.com/old");
    assertThat(to(code)).isEqualTo("https://example.com/old");
    String body = "{\"url\":\"https://example.com/new\"}";
    HttpResponse<String> changed = world.call("PATCH", "/api/v1/shortlinks/" + code, body);
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    assertThat(to(code)).isEqualTo("https://example.com/new");
    String bad = "{\"url\":\"javascript:alert(1)\"}";
    assertThat(world.call("PATCH", "/api/v1/shortlinks/" + code, bad).statusCode()).isEqualTo(400);
    String here = "{\"url\":\"" + node.baseUrl() + "/x\"}";
    assertThat(world.call("PATCH", "/api/v1/shortlinks/" + code, here).statusCode()).isEqualTo(400);
    world.stranger();
    assertThat(world.call("PATCH", "/api/v1/shortlinks/" + code, body).statusCode()).isEqualTo(404);
  }

  private static String to(String code) {
    return world.follow(node, code).headers().firstValue("location").orElse("");
  }

  @Test
  void daysAreThoseOfTheConfiguredTimeZone() {
    try (LinkWorld taipei =
        new LinkWorld(TestEngines.shared(), 1, Map.of("links.time_zone", "Asia/Taipei"))) {
      String code = taipei.link("https://example.com/");
      LocalDate day = LocalDate.now(ZoneId.of("Asia/Taipei")).minusDays(2);
      Instant midnight = day.atStartOfDay(ZoneId.of("Asia/Taipei")).toInstant();
      for (int hour : new int[] {-1, 0, 23}) {
        assertThat(
                taipei.sql(
                    "INSERT INTO short_link_clicks (code, hour, clicks, bots, visitors) VALUES ('"
                        + code
                        + "', '"
                        + midnight.plus(Duration.ofHours(hour))
                        + "', 1, 0, 1)"))
            .isEmpty();
      }
      JsonNode series = taipei.seen(code).path("series");
      assertThat(series).hasSize(2);
      assertThat(series.get(1).path("clicks").asInt()).isEqualTo(2);
      assertThat(Instant.parse(series.get(1).path("at").asText())).isEqualTo(midnight);
      assertThat(series.get(1).path("day").asText()).isEqualTo(day.toString());
    }
  }

  @Test
  void aGuestsLinkEndsWithinThirtyDaysAndInSevenWhereItSaysNothing() {
    Instant now = Instant.now();
    assertThat(expiry(world.create("{\"url\":\"https://example.com/\"}")))
        .isBetween(now.plus(Duration.ofDays(7)).minusSeconds(60), now.plus(Duration.ofDays(8)));
    Instant soon = now.plus(Duration.ofDays(29)).truncatedTo(ChronoUnit.SECONDS);
    String link = "{\"url\":\"https://example.com/\",\"expires_at\":\"%s\"}";
    assertThat(expiry(world.create(link.formatted(soon)))).isEqualTo(soon);
    Instant late = now.plus(Duration.ofDays(31));
    world.refused(link.formatted(late), 400, "INVALID_REQUEST", "expires_at");
    var _ = world.member();
    assertThat(expiry(world.create(link.formatted(late)))).isAfter(soon);
    assertThat(world.create("{\"url\":\"https://example.com/\"}").path("expires_at").isNull())
        .as("of an account")
        .isTrue();
  }

  @Test
  void theLinksOfADeletedAccountLeadNowhere() {
    String[] bearer = {"Authorization", "Bearer " + world.signIn(world.member())};
    String code = world.link("https://example.com/a");
    assertThat(world.status(node, code)).isEqualTo(302);
    HttpResponse<String> gone =
        node.callUntilAccepted(
            "POST", "/api/v1/me/delete", "{\"password\":\"" + LinkWorld.PASSWORD + "\"}", bearer);
    assertThat(LinkWorld.json(gone).path("message").asText()).contains("短網址");
    LinkWorld.await(() -> world.status(node, code) == 410);
  }

  private static Instant expiry(JsonNode link) {
    return Instant.parse(link.path("expires_at").asText());
  }

  @Test
  void aForgedHostIsInNoLinkPictureOrPage() throws IOException {
    String code = world.link("https://example.com/");
    String json = "{\"url\":\"https://example.com/\"}";
    assertThat(asked("POST", "/api/v1/shortlinks", LinkWorld.solved(json)))
        .contains("\"" + node.baseUrl() + "/");
    for (String suffix : List.of("+", ".svg")) {
      assertThat(asked("GET", "/" + code + suffix, "")).startsWith("HTTP/1.1 200");
    }
    String own = node.call("GET", "/" + code + ".svg", "").body();
    assertThat(asked("GET", "/" + code + ".svg", "")).endsWith(own);
    for (Route route : node.routes()) {
      if (route.method() == Method.GET && !route.path().equals("/api/queue/stream")) {
        String path = route.path().replace("{code}", code).replaceAll("\\{[^}]*}", "7");
        var _ = asked("GET", path, "");
      }
    }
  }

  @Test
  void theHostOfTheRequestSaysNothingOfWhichHostsAreOwn() throws IOException {
    String json = LinkWorld.solved("{\"url\":\"https://forged.example/\"}");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
      socket.setSoTimeout(60_000);
      String request =
          "POST /api/v1/shortlinks HTTP/1.1\r\nHost: forged.example\r\nConnection: close"
              + "\r\nContent-Length: "
              + json.length()
              + "\r\n\r\n"
              + json;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 201");
    }
  }

  /// The answer to a request with a forged `Host`, which is not in it.
  private static String asked(String method, String path, String body) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
      socket.setSoTimeout(60_000);
      String request =
          method
              + " "
              + path
              + " HTTP/1.1\r\nHost: forged.example\r\nConnection: close\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).as(path).startsWith("HTTP/1.1 ").doesNotContain("forged.example");
      return answer;
    }
  }

  @Test
  void aTokenThatHasEndedMakesNoLinkForNobody() {
    String token = world.signIn(world.member());
    world.signOut();
    String json = "{\"url\":\"https://example.com/\"}";
    HttpResponse<String> answer =
        node.call("POST", "/api/v1/shortlinks", json, "Authorization", "Bearer " + token);
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("www-authenticate")).isPresent();
  }

  @Test
  void anotherSitesPageMakesNoLinksInTheVisitorsName() {
    var _ = world.member();
    String json = "{\"url\":\"https://example.com/\"}";
    assertThat(
            world
                .call("POST", "/api/v1/shortlinks", json, "Sec-Fetch-Site", "cross-site")
                .statusCode())
        .isEqualTo(403);
    assertThat(codes()).isEmpty();
  }

  @Test
  void linksBelongToWhoMadeThem() {
    String code = world.link("https://example.com/");
    assertThat(world.seen(code).path("code").asText()).isEqualTo(code);
    world.stranger();
    assertThat(world.call("GET", "/api/v1/shortlinks/" + code, "").statusCode()).isEqualTo(404);
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + code, "").statusCode()).isEqualTo(404);
    assertThat(world.status(node, code)).isEqualTo(302);
    JsonNode none = LinkWorld.json(world.call("GET", "/api/v1/shortlinks", ""));
    assertThat(none.path("links").size()).isZero();
    assertThat(none.path("cursor").isNull()).isTrue();
  }

  @Test
  void pagesShowEveryLinkOnceNewestFirst() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      made.addFirst(world.link("https://example.com/" + i));
    }
    List<String> seen = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page =
          LinkWorld.json(world.call("GET", "/api/v1/shortlinks?limit=3&cursor=" + cursor, ""));
      page.path("links").forEach(link -> seen.add(link.path("code").asText()));
      cursor = page.path("cursor").asText("");
      assertThat(seen.size()).isLessThanOrEqualTo(7);
    } while (!cursor.isEmpty() && !cursor.equals("null"));
    assertThat(seen).isEqualTo(made);
    assertThat(world.call("GET", "/api/v1/shortlinks?cursor=x", "").statusCode()).isEqualTo(400);
    assertThat(world.call("GET", "/api/v1/shortlinks?limit=0", "").statusCode()).isEqualTo(400);
  }

  @Test
  void aFileOfLinksIsReadLineByLineAndWrittenBack() {
    String code = LinkWorld.unique();
    assertThat(world.call("POST", "/api/v1/shortlinks/import", "url\n").statusCode())
        .as("a guest")
        .isEqualTo(401);
    var _ = world.member();
    String csv =
        "url,code,max_visits,note\n"
            + "https://example.com/a,"
            + code
            + ",5,x\n"
            + "https://example.com/b,"
            + code
            + ",,twice\n"
            + "javascript:alert(1),,,\n"
            + "\"https://example.com/c,d\",,,\n";
    HttpResponse<String> answer =
        world.call("POST", "/api/v1/shortlinks/import", csv, "Content-Type", "text/csv");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode result = LinkWorld.json(answer);
    assertThat(result.path("created").asInt()).isEqualTo(2);
    assertThat(result.path("refused").asInt()).isEqualTo(2);
    assertThat(result.path("results").get(0).path("code").asText()).isEqualTo(code);
    assertThat(result.path("results").get(0).path("line").asInt()).isEqualTo(2);
    assertThat(result.path("results").get(1).path("error").asText()).isEqualTo("LINK_CODE_TAKEN");
    assertThat(result.path("results").get(2).path("field").asText()).isEqualTo("url");
    assertThat(world.status(node, result.path("results").get(3).path("code").asText()))
        .isEqualTo(302);
    String out = world.call("GET", "/api/v1/shortlinks/export", "").body();
    assertThat(out.lines()).hasSize(3);
    assertThat(out).contains("\"https://example.com/c,d\"").contains(code);
    for (String bad : List.of("", "\n", "url\n", "\"url", "a,b\n1,2\n")) {
      int status = world.call("POST", "/api/v1/shortlinks/import", bad).statusCode();
      assertThat(status).as(bad).isIn(200, 400);
    }
    String many = "url\n" + "https://example.com/\n".repeat(1_001);
    assertThat(world.call("POST", "/api/v1/shortlinks/import", many).statusCode()).isEqualTo(400);
    assertThat(many.getBytes(StandardCharsets.UTF_8).length).isLessThan(1024 * 1024);
  }
}
