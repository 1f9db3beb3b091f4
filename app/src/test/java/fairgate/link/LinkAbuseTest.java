package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.link.code.LinkCode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What short links are not to be had for, over HTTP, on one node.
class LinkAbuseTest {
  private static LinkWorld world;
  private static TestFairgate node;
  private static Path denied;

  @BeforeAll
  static void start() throws IOException {
    denied = Files.createTempFile("deny", ".txt");
    Files.writeString(denied, "# known for phishing\nlocked.example\n");
    world =
        new LinkWorld(
            TestEngines.shared(),
            1,
            Map.of("links.deny_list", denied.toString(), "links.most_per_owner", "20"));
    node = world.node(0);
  }

  @AfterAll
  static void stop() throws IOException {
    world.close();
    Files.delete(denied);
  }

  @BeforeEach
  void stranger() {
    world.stranger();
  }

  @Test
  void whereGuestsHaveNoLinksTheyAreToldToSignIn() {
    Map<String, String> settings = Map.of("links.guests", "off");
    try (LinkWorld closed = new LinkWorld(TestEngines.shared(), 1, settings)) {
      String link = "{\"url\":\"https://example.com/\"}";
      HttpResponse<String> refused = closed.call("POST", "/api/v1/shortlinks", link);
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(401);
      assertThat(refused.body()).contains("\"UNAUTHORIZED\"");
      var _ = closed.member();
      assertThat(closed.create(link).path("code").asText()).isNotEmpty();
    }
  }

  @Test
  void chosenCodesAreHadOnce() {
    String code = LinkWorld.unique();
    String json =
        "{\"url\":\"https://example.com/\",\"code\":\""
            + code.toUpperCase(java.util.Locale.ROOT)
            + "\"}";
    assertThat(world.create(json).path("code").asText()).isEqualTo(code);
    world.refused(json, 409, "LINK_CODE_TAKEN", "code");
    world.refused(
        "{\"url\":\"https://example.com/\",\"code\":\"api\"}", 409, "LINK_CODE_TAKEN", "code");
    world.refused(
        "{\"url\":\"https://example.com/\",\"code\":\"ab\"}", 400, "INVALID_REQUEST", "code");
    world.refused(
        "{\"url\":\"https://example.com/\",\"code\":\"223456789\"}",
        400,
        "INVALID_REQUEST",
        "code");
    world.refused("{\"code\":\"abc\"}", 400, "INVALID_REQUEST", "url");
    world.refused("{\"url\":\"ftp://example.com/\"}", 400, "INVALID_REQUEST", "url");
    world.refused("{\"url\":\"https://a@example.com/\"}", 400, "INVALID_REQUEST", "url");
    world.refused("{\"url\":\"" + node.baseUrl() + "/abc\"}", 400, "INVALID_REQUEST", "url");
    world.refused(
        "{\"url\":\"https://example.com/\",\"max_visits\":0}",
        400,
        "INVALID_REQUEST",
        "max_visits");
  }

  @Test
  void anOwnerHasNoMoreLinksThanOneMayHave() {
    var _ = world.member();
    String csv = "url\n" + "https://example.com/\n".repeat(19);
    assertThat(imported(csv)).as("created").isEqualTo(19);
    HttpResponse<String> half =
        world.call(
            "POST", "/api/v1/shortlinks/import", "url\n" + "https://example.com/\n".repeat(2));
    assertThat(LinkWorld.json(half).path("created").asInt()).isEqualTo(1);
    assertThat(LinkWorld.json(half).path("results").get(1).path("error").asText())
        .isEqualTo("TOO_MANY_LINKS");
    world.refused("{\"url\":\"https://example.com/\"}", 409, "TOO_MANY_LINKS", "");
    world.stranger();
    assertThat(world.create("{\"url\":\"https://example.com/\"}").path("code").asText())
        .isNotEmpty();
  }

  private static int imported(String csv) {
    HttpResponse<String> answer = world.call("POST", "/api/v1/shortlinks/import", csv);
    return LinkWorld.json(answer).path("created").asInt();
  }

  /// Written as JSON, as callers do.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "javascript:alert(1)",
        "data:text/html,<script>1</script>",
        "file:///etc/passwd",
        "//example.com/",
        "https://example.com@evil.example/",
        "https://example.com\\u0007/",
        "https://example.com/\\r\\nset-cookie: a=b",
        "https://example.com/\\u202egpj.exe",
        "https://example.com\\\\@evil.example/",
        "https:///",
        "http://2130706433/",
        "http://0x7f.1/"
      })
  void whatHidesOrRunsIsNoTarget(String url) {
    world.refused("{\"url\":\"" + url + "\"}", 400, "INVALID_REQUEST", "url");
  }

  @Test
  void aTargetIsNoLongerThanTwoThousandAndFortyEight() {
    String base = "https://example.com/";
    String longest = base + "a".repeat(2048 - base.length());
    String code = world.link(longest);
    assertThat(world.follow(node, code).headers().firstValue("location")).contains(longest);
    world.refused("{\"url\":\"" + longest + "a\"}", 400, "INVALID_REQUEST", "url");
    // Longer than a body may be.
    world.refused("{\"url\":\"" + base + "a".repeat(60_000) + "\"}", 400, "INVALID_REQUEST", "");
  }

  @Test
  void hostsOfTheDenyListAreBlockedWithTheirSubdomainsAlsoOnceTheListGrows() throws IOException {
    world.refused("{\"url\":\"https://locked.example/\"}", 403, "LINK_TARGET_BLOCKED", "");
    world.refused("{\"url\":\"https://a.LOCKED.example/\"}", 403, "LINK_TARGET_BLOCKED", "");
    String code = world.link("https://later.bücher.example/");
    assertThat(world.status(node, code)).isEqualTo(302);
    Files.writeString(denied, "locked.example\nbücher.example\n");
    LinkWorld.await(() -> world.status(node, code) == 410);
  }

  @Test
  void noLinkLeadsBackHereUnderAnyName() {
    String port = ":" + node.port();
    world.refused("{\"url\":\"http://127.0.0.1" + port + "/x\"}", 400, "INVALID_REQUEST", "url");
    world.refused("{\"url\":\"https://127.0.0.1/\"}", 400, "INVALID_REQUEST", "url");
    HttpResponse<String> asked =
        world.call("POST", "/api/v1/shortlinks", "{\"url\":\"http://127.0.0.1./x\"}");
    assertThat(asked.statusCode()).isEqualTo(400);
  }

  /// The first segment of every path there is.
  @Test
  void noLinkCanTakeTheNameOfAPage() {
    Set<String> free = new HashSet<>();
    node.routes().stream()
        .map(route -> route.path().substring(1).split("/", 2)[0])
        .filter(segment -> !segment.isEmpty() && !segment.startsWith("{"))
        .filter(LinkCode::isCustom)
        .filter(segment -> !ReservedCodes.contains(segment))
        .forEach(free::add);
    assertThat(free).isEmpty();
    assertThat(node.metrics().statusCode()).isEqualTo(200);
    assertThat(node.call("GET", "/health/live", "").statusCode()).isEqualTo(200);
  }

  @Test
  void operatorsBanLinksAndHostsAndLiftTheBans() {
    String host = LinkWorld.unique() + ".example";
    String code = world.link("https://www." + host + "/");
    var _ = node.admin("POST", "/links/" + code + "/ban", "{\"reason\":\"phishing\"}");
    assertThat(world.status(node, code)).isEqualTo(410);
    assertThat(node.call("GET", "/" + code + "+", "").statusCode()).isEqualTo(410);
    assertThat(world.seen(code).path("state").asText()).isEqualTo("banned");
    assertThat(world.seen(code).path("ban_reason").asText()).isEqualTo("phishing");
    var _ = node.admin("POST", "/links/" + code + "/unban", "");
    assertThat(world.status(node, code)).isEqualTo(302);
    var _ =
        node.admin("POST", "/links/hosts", "{\"host\":\"" + host + "\",\"reason\":\"malware\"}");
    assertThat(world.status(node, code)).isEqualTo(410);
    assertThat(world.seen(code).path("state").asText()).isEqualTo("banned");
    world.refused("{\"url\":\"https://a." + host + "/\"}", 403, "LINK_TARGET_BLOCKED", "");
    assertThat(node.admin("GET", "/links/hosts", "")).contains(host).contains("malware");
    var _ = node.admin("DELETE", "/links/hosts/" + host, "");
    assertThat(world.status(node, code)).isEqualTo(302);
    assertThat(node.admin("GET", "/links/hosts", "")).doesNotContain(host);
    String[] auth = {"Authorization", "Bearer " + TestFairgate.OPERATOR};
    assertThat(
            node.call("POST", "/api/admin/links/none/ban", "{\"reason\":\"x\"}", auth).statusCode())
        .isEqualTo(404);
    assertThat(node.call("POST", "/api/admin/links/none/ban", "{\"reason\":\"x\"}").statusCode())
        .isEqualTo(401);
  }
}
