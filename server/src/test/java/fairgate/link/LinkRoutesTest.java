package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Making and managing short links over HTTP, on one node.
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
  void whatAGuestMadeStaysTheBrowsersAndAnAccountsLinksAreNotTheNextOnes() {
    String guests = world.link("https://example.com/guest");
    String name = world.member();
    assertThat(codes()).isEmpty();
    String own = world.link("https://example.com/own");
    world.signOut();
    assertThat(codes()).containsExactly(guests);
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + own, "").statusCode()).isEqualTo(404);
    assertThat(world.member()).isNotEqualTo(name);
    assertThat(codes()).isEmpty();
    assertThat(world.call("GET", "/api/v1/shortlinks/" + own, "").statusCode()).isEqualTo(404);
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
        .isEqualTo(401);
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
