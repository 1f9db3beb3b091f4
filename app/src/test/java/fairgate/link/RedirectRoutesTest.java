package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.link.code.LinkCode;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Following short links over HTTP, on one node.
class RedirectRoutesTest {
  private static final String PERSON =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Line/14.0";

  private static LinkWorld world;
  private static TestFairgate node;

  @BeforeAll
  static void start() {
    world = new LinkWorld(TestEngines.shared(), 1, Map.of("links.time_zone", noonZone()));
    node = world.node(0);
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  /// A time zone in which it is about noon, so that all clicks of a test are on one day.
  private static String noonZone() {
    int hour = Instant.now().atOffset(ZoneOffset.UTC).getHour();
    // The signs of these names are reversed: Etc/GMT-8 is eight hours ahead of UTC.
    return "Etc/GMT%+d".formatted(hour - 12);
  }

  @BeforeEach
  void stranger() {
    world.stranger();
  }

  @Test
  void aLinkIsMadeAndFollowed() {
    JsonNode made = world.create("{\"url\":\"https://example.com/a?b=c\"}");
    String code = made.path("code").asText();
    assertThat(LinkCode.read(code)).isPresent();
    assertThat(made.path("short_url").asText()).isEqualTo(node.baseUrl() + "/" + code);
    HttpResponse<String> answer = world.follow(node, code);
    assertThat(answer.statusCode()).isEqualTo(302);
    assertThat(answer.headers().firstValue("location")).contains("https://example.com/a?b=c");
    assertThat(answer.headers().firstValue("cache-control")).contains("private, no-store");
    assertThat(answer.body()).isEmpty();
    assertThat(world.status(node, code.toUpperCase(java.util.Locale.ROOT))).isEqualTo(302);
  }

  @Test
  void eachLinkHasItsStatus() {
    for (int status : new int[] {301, 302, 307, 308}) {
      String code =
          world
              .create("{\"url\":\"https://example.com/\",\"redirect_status\":" + status + "}")
              .path("code")
              .asText();
      assertThat(world.status(node, code)).isEqualTo(status);
    }
    world.refused(
        "{\"url\":\"https://example.com/\",\"redirect_status\":303}",
        400,
        "INVALID_REQUEST",
        "redirect_status");
  }

  @Test
  void whatIsNotThereIsNotFoundAndATypingErrorAsksNobody() {
    double before = LinkWorld.counted(node, "fairgate_link_lookups_total");
    assertThat(world.status(node, LinkWorld.unique())).isEqualTo(404);
    assertThat(LinkWorld.json(world.follow(node, "x.y")).path("error").asText())
        .isEqualTo("LINK_NOT_FOUND");
    assertThat(LinkWorld.counted(node, "fairgate_link_lookups_total")).isEqualTo(before + 1);
    assertThat(LinkCode.isMistyped("223456789")).isTrue();
    assertThat(world.status(node, "223456789")).isEqualTo(404);
    assertThat(LinkWorld.counted(node, "fairgate_link_lookups_total")).isEqualTo(before + 1);
  }

  /// Chats make a link of the mark behind an address too.
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/p/none/ /p/none",
        "/p/none%E3%80%82 /p/none",
        "/claim%EF%BC%8C /claim",
        "/links). /links",
        "/q/hall%EF%BC%81%E5%BF%AB /q/hall"
      })
  void marksBehindTheAddressOfAPageLeadToThePage(String pasted, String page) {
    HttpResponse<String> moved = node.call("GET", pasted, "");
    assertThat(moved.statusCode()).isEqualTo(302);
    assertThat(moved.headers().firstValue("location")).contains(page);
  }

  @ParameterizedTest
  @ValueSource(strings = {".", ")", "/", "%EF%BC%8C", "%3E", "%E3%80%8D%E5%BF%AB%E4%BE%86"})
  void marksBehindACodeLeadToTheLink(String mark) {
    String code = world.link("https://example.com/");
    HttpResponse<String> moved = world.follow(node, code + mark);
    assertThat(moved.headers().firstValue("location")).contains("/" + code);
    assertThat(world.status(node, code)).isEqualTo(302);
  }

  @Test
  void parametersOfTheShortAddressGoOnAsTheLinkSays() {
    String target = "\"url\":\"https://example.com/?a=1#top\"";
    String query = "?utm_source=line&b=2&a=3";
    assertThat(place(world.create("{" + target + "}"), query))
        .isEqualTo("https://example.com/?a=1&utm_source=line#top");
    assertThat(place(world.create("{" + target + ",\"forward_query\":\"all\"}"), query))
        .isEqualTo("https://example.com/?a=1&utm_source=line&b=2#top");
    assertThat(place(world.create("{" + target + "}"), "?utm_campaign=%A4%A4&b=%A4"))
        .isEqualTo("https://example.com/?a=1&utm_campaign=%A4%A4#top");
    JsonNode none = world.create("{" + target + ",\"forward_query\":\"none\"}");
    assertThat(place(none, query)).isEqualTo("https://example.com/?a=1#top");
    assertThat(world.seen(none.path("code").asText()).path("forward_query").asText())
        .isEqualTo("none");
    world.refused(
        "{" + target + ",\"forward_query\":\"some\"}", 400, "INVALID_REQUEST", "forward_query");
  }

  private static String place(JsonNode link, String query) {
    return world
        .follow(node, link.path("code").asText() + query)
        .headers()
        .firstValue("location")
        .orElseThrow();
  }

  @Test
  void disabledAndExpiredLinksAreGone() {
    String code = world.link("https://example.com/");
    assertThat(world.status(node, code)).isEqualTo(302);
    JsonNode disabled = LinkWorld.json(world.call("DELETE", "/api/v1/shortlinks/" + code, ""));
    assertThat(disabled.path("state").asText()).isEqualTo("disabled");
    assertThat(node.call("GET", "/" + code + "+", "").statusCode()).isEqualTo(410);
    assertThat(world.status(node, code)).isEqualTo(410);
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + code, "").statusCode()).isEqualTo(200);
    HttpResponse<String> made =
        Eventually.get(
            "a link that is made before it ends",
            () -> world.call("POST", "/api/v1/shortlinks", endingSoon()),
            answer -> answer.statusCode() == 201);
    String brief = LinkWorld.json(made).path("code").asText();
    assertThat(world.status(node, brief)).isIn(302, 410);
    LinkWorld.await(() -> world.status(node, brief) == 410);
    assertThat(world.seen(brief).path("state").asText()).isEqualTo("expired");
    world.refused(
        "{\"url\":\"https://example.com/\",\"expires_at\":\"2020-01-01T00:00:00Z\"}",
        400,
        "INVALID_REQUEST",
        "expires_at");
  }

  private static String endingSoon() {
    Instant soon = Instant.now().plusSeconds(3);
    return "{\"url\":\"https://example.com/\",\"expires_at\":\"" + soon + "\"}";
  }

  @Test
  void clicksAreCountedHeadsAreNotAndBotsAreMarked() {
    String code = world.link("https://example.com/");
    String[] agents = {"Mozilla/5.0 (A)", "Mozilla/5.0 (B)", "Mozilla/5.0 (A)", "Googlebot/2.1"};
    for (String agent : agents) {
      assertThat(world.follow(node, code, "User-Agent", agent).statusCode()).isEqualTo(302);
    }
    assertThat(
            world
                .follow(node, code, "User-Agent", "Mozilla/5.0 (A)", "Sec-Purpose", "prefetch")
                .statusCode())
        .isEqualTo(302);
    HttpResponse<String> head = node.call("HEAD", "/" + code, "");
    assertThat(head.statusCode()).isEqualTo(302);
    assertThat(head.headers().firstValue("location")).isPresent();
    LinkWorld.await(() -> world.seen(code).path("bots").asInt() == 2);
    JsonNode link = world.seen(code);
    assertThat(link.path("clicks").asInt()).isEqualTo(3);
    assertThat(link.path("visitors").asInt()).isEqualTo(2);
    assertThat(link.path("series").size()).isEqualTo(1);
    assertThat(link.path("series").get(0).path("clicks").asInt()).isEqualTo(3);
    JsonNode hours =
        LinkWorld.json(world.call("GET", "/api/v1/shortlinks/" + code + "?by=hour", ""));
    assertThat(hours.path("series_by").asText()).isEqualTo("hour");
    assertThat(world.call("GET", "/api/v1/shortlinks/" + code + "?by=week", "").statusCode())
        .isEqualTo(400);
    // The same two come again: no new visitors.
    assertThat(world.follow(node, code, "User-Agent", agents[0]).statusCode()).isEqualTo(302);
    LinkWorld.await(() -> world.seen(code).path("clicks").asInt() == 4);
    assertThat(world.seen(code).path("visitors").asInt()).isEqualTo(2);
    assertThat(world.sql("SELECT count(*) FROM short_link_visitors WHERE code = '" + code + "'"))
        .isEqualTo("2");
  }

  @Test
  void ofTwoHundredAtOnceFiftyPass() {
    String code =
        world.create("{\"url\":\"https://example.com/\",\"max_visits\":50}").path("code").asText();
    assertThat(node.call("HEAD", "/" + code, "").statusCode()).isEqualTo(302);
    List<Integer> statuses =
        IntStream.range(0, 200)
            .mapToObj(
                _ ->
                    java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> world.status(node, code), task -> Thread.ofVirtual().start(task)))
            .toList()
            .stream()
            .map(java.util.concurrent.CompletableFuture::join)
            .toList();
    assertThat(statuses).filteredOn(status -> status == 302).hasSize(50);
    assertThat(statuses).filteredOn(status -> status == 410).hasSize(150);
    assertThat(node.call("HEAD", "/" + code, "").statusCode()).isEqualTo(410);
    assertThat(world.seen(code).path("visits").asInt()).isEqualTo(50);
    assertThat(world.seen(code).path("state").asText()).isEqualTo("used_up");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "facebookexternalhit/1.1;line-poker/1.0",
        "WhatsApp/2.23.20.0",
        "TelegramBot (like TwitterBot)",
        "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
        "Mozilla/5.0 SkypeUriPreview Preview/0.5",
        "facebookexternalhit/1.1 Facebot Twitterbot/1.0"
      })
  void thePreviewOfAChatUsesUpNoVisit(String agent) {
    String code =
        world.create("{\"url\":\"https://example.com/\",\"max_visits\":1}").path("code").asText();
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> page = world.follow(node, code, "User-Agent", agent);
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("location")).isEmpty();
      assertThat(page.body()).contains("/" + code + "?follow");
    }
    assertThat(world.follow(node, code, "Sec-Purpose", "prefetch;prerender").statusCode())
        .isEqualTo(503);
    assertThat(world.seen(code).path("visits").asInt()).isZero();
    assertThat(world.follow(node, code, "User-Agent", PERSON).statusCode()).isEqualTo(302);
    assertThat(world.follow(node, code, "User-Agent", PERSON).statusCode()).isEqualTo(410);
    assertThat(world.follow(node, code, "User-Agent", agent).statusCode()).isEqualTo(410);
    LinkWorld.await(() -> world.seen(code).path("bots").asInt() >= 3);
  }

  @Test
  void whoIsTakenForAProgramFollowsTheButtonAndIsCounted() {
    String code =
        world.create("{\"url\":\"https://example.com/\",\"max_visits\":1}").path("code").asText();
    assertThat(world.follow(node, code + "?follow", "User-Agent", "WhatsApp/2").statusCode())
        .isEqualTo(302);
    assertThat(world.seen(code).path("visits").asInt()).isEqualTo(1);
    String phone =
        world.create("{\"url\":\"https://example.com/\",\"max_visits\":1}").path("code").asText();
    assertThat(
            world
                .follow(node, phone, "User-Agent", "Mozilla/5.0 (Linux; Android 14; CUBOT X90)")
                .statusCode())
        .isEqualTo(302);
  }

  @Test
  void aPreviewShowsWhereALinkLeads() {
    String code = world.link("https://аpple.com/login?q='a'&r=1");
    HttpResponse<String> page = node.call("GET", "/" + code + "+", "", "Accept-Language", "en");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("xn--pple-43d.com").contains("q='a'&amp;r=1");
    assertThat(page.headers().firstValue("content-security-policy")).isPresent();
    assertThat(node.call("GET", "/" + LinkWorld.unique() + "+", "").statusCode()).isEqualTo(404);
    assertThat(world.seen(code).path("clicks").asInt()).isZero();
  }

  @Test
  void aQrCodeLeadsToTheLink() throws java.io.IOException {
    String code = world.link("https://example.com/");
    HttpResponse<String> svg = node.call("GET", "/" + code + ".svg", "");
    assertThat(svg.headers().firstValue("content-type")).contains("image/svg+xml");
    assertThat(svg.body()).startsWith("<svg ").contains("</svg>");
    HttpResponse<byte[]> png = LinkWorld.bytes(node, "/" + code + ".png");
    assertThat(png.headers().firstValue("content-type")).contains("image/png");
    var picture = javax.imageio.ImageIO.read(new java.io.ByteArrayInputStream(png.body()));
    var drawn =
        io.nayuki.qrcodegen.QrCode.encodeText(
            node.baseUrl() + "/" + code, io.nayuki.qrcodegen.QrCode.Ecc.MEDIUM);
    assertThat(picture.getWidth()).isEqualTo((drawn.size + 8) * 10);
    for (int y = 0; y < drawn.size; y++) {
      for (int x = 0; x < drawn.size; x++) {
        boolean dark = (picture.getRGB((x + 4) * 10 + 5, (y + 4) * 10 + 5) & 0xff) == 0;
        assertThat(dark).isEqualTo(drawn.getModule(x, y));
      }
    }
    assertThat(node.call("GET", "/" + LinkWorld.unique() + ".svg", "").statusCode()).isEqualTo(404);
    assertThat(node.call("GET", "/" + code + ".gif", "").statusCode()).isEqualTo(404);
  }
}
