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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// The limits of the table, as a caller meets them on two nodes. The tests share the nodes, so each
/// calls from addresses of its own; those that hurt an engine come last.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LinkLimitsTest {
  private static final String FORWARDED = "X-Forwarded-For";
  private static final String MISSES = "fairgate_link_misses_total";
  private static final String MISSES_REFUSED = "fairgate_link_misses_refused_total";
  private static final int LAST = Integer.MAX_VALUE;
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  private static TestEngines engines;
  private static LinkWorld world;

  private final String address = address();

  @BeforeAll
  static void start() {
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

  @AfterAll
  static void stop() {
    world.close();
    engines.close();
  }

  @BeforeEach
  void anotherBrowser() {
    world.stranger();
  }

  private static String address() {
    return "203.0.113." + ADDRESSES.incrementAndGet();
  }

  /// Both nodes in turn: the budget is that of the address, not of the node.
  private List<HttpResponse<String>> creations(int count) {
    return creations(count, world.nodes(), address);
  }

  private static List<HttpResponse<String>> creations(
      int count, List<TestFairgate> nodes, String from) {
    List<HttpResponse<String>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      TestFairgate node = nodes.get(i % nodes.size());
      String json = "{\"url\":\"https://example.com/" + i + "\"}";
      all.add(world.call(node, "POST", "/api/v1/shortlinks", json, FORWARDED, from));
    }
    return all;
  }

  private int status(TestFairgate node, String code) {
    return get(node, code, address).statusCode();
  }

  private static HttpResponse<String> get(TestFairgate node, String code, String from) {
    return world.follow(node, code, FORWARDED, from);
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
    String key = "rl:create:" + address;
    assertThat(RespConnection.call(engines.redisUri(), "STRLEN", key)).isEqualTo("70");
    assertThat(Long.parseLong(RespConnection.call(engines.redisUri(), "PTTL", key)))
        .isBetween(1L, 60_000L);
  }

  /// Programs of this machine need no solution; these come through a proxy.
  @Test
  void aMissingChallengeIsToldAndUsesUpNoCreation() {
    for (int i = 0; i < 12; i++) {
      HttpResponse<String> refused =
          world
              .node(i % 2)
              .call(
                  "POST",
                  "/api/v1/shortlinks",
                  "{\"url\":\"https://example.com/\"}",
                  FORWARDED,
                  address);
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
      JsonNode error = LinkWorld.json(refused);
      assertThat(error.path("error").asText()).isEqualTo("CHALLENGE_REQUIRED");
      assertThat(error.path("field").asText()).isEqualTo("turnstile_token");
      assertThat(error.path("challenge").asText()).isEqualTo("/api/challenge?action=link");
    }
    assertThat(creations(10)).allMatch(answer -> answer.statusCode() == 201);
  }

  @Test
  @Order(LAST - 1)
  void redirectsAreLimitedOverNodesAndOpenWithoutRedis() {
    String code = LinkWorld.json(creations(1).getFirst()).path("code").asText();
    int followed = 0;
    while (followed < 21 && status(world.node(followed % 2), code) == 302) {
      followed++;
    }
    assertThat(followed).as("of twenty a minute").isEqualTo(20);
    assertThat(isRefused(get(world.node(1), code, address))).isTrue();
    engines.killRedis();
    // What a node was told of an address it believes for ten seconds, so another one comes.
    String other = address();
    LinkWorld.await(() -> get(world.node(0), code, other).statusCode() == 302);
    for (int i = 0; i < 30; i++) {
      assertThat(get(world.node(0), code, other).statusCode())
          .as("open without Redis")
          .isEqualTo(302);
    }
    creationsKeepALimitWithoutRedis(other);
    engines.restartRedis();
  }

  private static void creationsKeepALimitWithoutRedis(String from) {
    long start = System.nanoTime();
    List<HttpResponse<String>> answers = creations(15, List.of(world.node(0)), from);
    // A slow machine takes its time, and time brings more: one in 6 s.
    int seconds = Math.toIntExact(Duration.ofNanos(System.nanoTime() - start).toSeconds());
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() == 201)
        .hasSizeBetween(1, 10 + (seconds + 5) / 6);
    assertThat(answers)
        .filteredOn(answer -> answer.statusCode() != 201)
        .allMatch(LinkLimitsTest::isRefused);
  }

  @Test
  void whoTriesManyCodesIsToldToWaitBeforeTheDatabaseIsAsked() {
    String code = LinkWorld.json(creations(1).getFirst()).path("code").asText();
    TestFairgate node = world.node(0);
    double refusedBefore = LinkWorld.counted(node, MISSES_REFUSED);
    assertThat(status(node, code)).isEqualTo(302);
    for (int i = 0; i < 5; i++) {
      assertThat(status(node, "guess-" + i)).isEqualTo(404);
    }
    HttpResponse<String> refused = get(node, "guess-6", address);
    assertThat(isRefused(refused)).isTrue();
    assertThat(LinkWorld.json(refused).path("decision_id").asText()).isNotBlank();
    assertThat(LinkWorld.json(refused).path("violated_policies").toString()).contains("misses");
    assertThat(status(node, code)).as("a link the node knows").isEqualTo(302);
    assertThat(LinkWorld.counted(node, MISSES_REFUSED)).isEqualTo(refusedBefore + 1);
  }

  @Test
  @Order(LAST)
  void codesTriedAtTheSameTimeShareTheBudgetToo() {
    TestFairgate node = world.node(0);
    double refused = LinkWorld.counted(node, MISSES_REFUSED);
    double missed = LinkWorld.counted(node, MISSES);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      engines.pausePostgres();
      try {
        for (int i = 0; i < 15; i++) {
          String code = "tried-" + i;
          var _ = threads.submit(() -> status(node, code));
        }
        // The other five wait for the database.
        LinkWorld.await(() -> LinkWorld.counted(node, MISSES_REFUSED) >= refused + 10);
      } finally {
        engines.resumePostgres();
      }
    }
    assertThat(LinkWorld.counted(node, MISSES)).isLessThanOrEqualTo(missed + 5);
  }

  @Test
  void codesThatAreFoundCostNothing() {
    TestFairgate other = world.node(1);
    List<HttpResponse<String>> created = creations(8);
    for (HttpResponse<String> answer : created) {
      assertThat(status(other, LinkWorld.json(answer).path("code").asText())).isEqualTo(302);
    }
  }

  @Test
  void theAddressesOfOneIpv6HouseholdShareABudgetOfMisses() {
    TestFairgate node = world.node(0);
    for (int i = 0; i < 5; i++) {
      assertThat(get(node, "house-" + i, "2001:db8:1:77%02x::1".formatted(i)).statusCode())
          .isEqualTo(404);
    }
    assertThat(isRefused(get(node, "house-5", "2001:db8:1:77ff::1"))).isTrue();
    assertThat(get(node, "house-6", "2001:db8:1:7800::1").statusCode())
        .as("another household")
        .isEqualTo(404);
  }
}
