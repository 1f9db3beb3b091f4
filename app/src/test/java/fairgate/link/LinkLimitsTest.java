package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The limits of the table, as a caller meets them on two nodes.
class LinkLimitsTest {
  private TestEngines engines;
  private LinkWorld world;

  @BeforeEach
  void start() {
    engines = TestEngines.privateEngines();
    world =
        new LinkWorld(
            engines,
            2,
            Map.of(
                "limits", "on",
                "limit.redirect", "20/60s window open",
                // A machine under load must not make Redis seem away.
                "limit.budget_ms", "5000",
                "server.trusted_proxies", "127.0.0.1",
                "links.miss_per_minute", "5"));
  }

  @AfterEach
  void stop() {
    world.close();
    engines.close();
  }

  /// Both nodes in turn: the budget is that of the address, not of the node.
  private List<HttpResponse<String>> creations(int count) {
    List<HttpResponse<String>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TestFairgate node = world.node(i % world.nodes().size());
      String json = "{\"url\":\"https://example.com/" + i + "\"}";
      all.add(world.call(node, "POST", "/api/v1/shortlinks", json));
    }
    return all;
  }

  private static boolean isRefused(HttpResponse<String> answer) {
    return answer.statusCode() == 429
        && Integer.parseInt(answer.headers().firstValue("retry-after").orElseThrow()) > 0;
  }

  @Test
  void ofFifteenQuickCreationsTenPassAndFiveAreToldWhenToComeBack() {
    List<HttpResponse<String>> answers = creations(15);
    assertThat(answers.subList(0, 10)).allMatch(answer -> answer.statusCode() == 201);
    assertThat(answers.subList(10, 15)).allMatch(LinkLimitsTest::isRefused);
    assertThat(answers.getLast().headers().firstValue("retry-after").map(Integer::parseInt))
        .hasValueSatisfying(wait -> assertThat(wait).isBetween(1, 75));
    // Ten times of seven bytes: what was refused uses nothing up.
    assertThat(RespConnection.call(engines.redisUri(), "STRLEN", "rl:create:127.0.0.1"))
        .isEqualTo("70");
    assertThat(
            Long.parseLong(RespConnection.call(engines.redisUri(), "PTTL", "rl:create:127.0.0.1")))
        .isBetween(1L, 60_000L);
  }

  /// Programs of this machine need no solution; these come through a proxy.
  @Test
  void aMissingChallengeIsToldAndUsesUpNoCreation() {
    for (int i = 0; i < 12; i++) {
      HttpResponse<String> refused =
          world
              .node(i % 2)
              .call("POST", "/api/v1/shortlinks", "{\"url\":\"https://example.com/\"}");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
      JsonNode error = LinkWorld.json(refused);
      assertThat(error.path("error").asText()).isEqualTo("CHALLENGE_REQUIRED");
      assertThat(error.path("field").asText()).isEqualTo("turnstile_token");
      assertThat(error.path("challenge").asText()).isEqualTo("/api/challenge?action=link");
    }
    assertThat(creations(10)).allMatch(answer -> answer.statusCode() == 201);
  }

  @Test
  void redirectsAreLimitedOverNodesAndOpenWithoutRedis() {
    String code = LinkWorld.json(creations(1).getFirst()).path("code").asText();
    int followed = 0;
    while (followed < 21 && world.status(world.node(followed % 2), code) == 302) {
      followed++;
    }
    assertThat(followed).as("of twenty a minute").isEqualTo(20);
    assertThat(isRefused(world.follow(world.node(1), code))).isTrue();
    engines.killRedis();
    // What a node was told of a limit it believes for ten seconds.
    LinkWorld.await(() -> world.status(world.node(0), code) == 302);
    for (int i = 0; i < 30; i++) {
      assertThat(world.status(world.node(0), code)).as("open without Redis").isEqualTo(302);
    }
    engines.restartRedis();
  }

  @Test
  void creationsKeepALimitWithoutRedis() {
    engines.killRedis();
    world.nodes().removeLast().close();
    long start = System.nanoTime();
    List<HttpResponse<String>> answers = creations(15);
    // A slow machine takes its time, and time brings more: one in 6 s.
    int seconds = Math.toIntExact(Duration.ofNanos(System.nanoTime() - start).toSeconds());
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() == 201)
        .hasSizeBetween(1, 10 + (seconds + 5) / 6);
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() != 201)
        .allMatch(LinkLimitsTest::isRefused);
    engines.restartRedis();
  }

  @Test
  void whoTriesManyCodesIsToldToWaitBeforeTheDatabaseIsAsked() {
    String code = LinkWorld.json(creations(1).getFirst()).path("code").asText();
    TestFairgate node = world.node(0);
    assertThat(world.status(node, code)).isEqualTo(302);
    for (int i = 0; i < 5; i++) {
      assertThat(world.status(node, "guess-" + i)).isEqualTo(404);
    }
    HttpResponse<String> refused = world.follow(node, "guess-6");
    assertThat(isRefused(refused)).isTrue();
    assertThat(LinkWorld.json(refused).path("decision_id").asText()).isNotBlank();
    assertThat(LinkWorld.json(refused).path("violated_policies").toString()).contains("misses");
    assertThat(world.status(node, code)).as("a link the node knows").isEqualTo(302);
    assertThat(LinkWorld.counted(node, "fairgate_link_misses_refused_total")).isEqualTo(1);
  }

  @Test
  void codesTriedAtTheSameTimeShareTheBudgetToo() {
    TestFairgate node = world.node(0);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      engines.pausePostgres();
      for (int i = 0; i < 15; i++) {
        String code = "guess-" + i;
        var _ = threads.submit(() -> world.status(node, code));
      }
      // The other five wait for the database.
      LinkWorld.await(() -> LinkWorld.counted(node, "fairgate_link_misses_refused_total") >= 10);
    } finally {
      engines.resumePostgres();
    }
    assertThat(LinkWorld.counted(node, "fairgate_link_misses_total")).isLessThanOrEqualTo(5);
  }

  @Test
  void codesThatAreFoundCostNothing() {
    TestFairgate other = world.node(1);
    List<HttpResponse<String>> created = creations(8);
    for (HttpResponse<String> answer : created) {
      assertThat(world.status(other, LinkWorld.json(answer).path("code").asText())).isEqualTo(302);
    }
  }

  @Test
  void theAddressesOfOneIpv6HouseholdShareABudgetOfMisses() {
    TestFairgate node = world.node(0);
    for (int i = 0; i < 5; i++) {
      assertThat(guess(node, "guess-" + i, "2001:db8:1:77%02x::1".formatted(i)).statusCode())
          .isEqualTo(404);
    }
    assertThat(isRefused(guess(node, "guess-5", "2001:db8:1:77ff::1"))).isTrue();
    assertThat(guess(node, "guess-6", "2001:db8:1:7800::1").statusCode())
        .as("another household")
        .isEqualTo(404);
  }

  private static HttpResponse<String> guess(TestFairgate node, String code, String from) {
    return node.call("GET", "/" + code, "", "X-Forwarded-For", from);
  }
}
