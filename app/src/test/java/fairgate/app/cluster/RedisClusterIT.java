package fairgate.app.cluster;

import static fairgate.app.cluster.ClusterShop.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.RedisCluster;
import fairgate.testkit.RequestSigner;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.LineEvents;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// All features on a cluster of three masters.
class RedisClusterIT {
  private static ClusterShop shop;
  private static ScriptWatch watch;

  @BeforeAll
  static void start() {
    shop = new ClusterShop();
    watch = ScriptWatch.of(shop.cluster());
  }

  @AfterAll
  static void stop() {
    watch.close();
    shop.close();
    // Redis refuses such scripts as well, except those with one key.
    assertThat(watch.crossed()).as("scripts whose keys do not share a slot").isEmpty();
  }

  @Test
  void buyersOnAllMastersJoinWaitBuyPayAndReachTheLedger() throws Exception {
    List<String> sales = new ArrayList<>();
    for (int master = 0; master < RedisCluster.MASTERS; master++) {
      sales.add(shop.sale(master, 3));
      sales.add(shop.sale(master, 3));
    }
    for (String sale : sales) {
      for (int i = 0; i < 3; i++) {
        assertThat(shop.buy(sale).path("remaining_stock").asInt(-1)).isEqualTo(2 - i);
      }
      String waits = shop.join(sale);
      assertThat(shop.status(waits).path("queue_status").asText()).isEqualTo("waiting");
      assertThat(shop.call("POST", "/api/queue/leave", "{}", waits).path("success").asBoolean())
          .isTrue();
      assertThat(shop.status(waits).path("queue_status").asText()).isEqualTo("expired");
    }
    for (String sale : sales) {
      shop.paid(sale, 3);
      assertThat(shop.live(sale).path("confirmed").asInt()).isEqualTo(3);
      assertThat(shop.live(sale).path("balanced").asBoolean()).isTrue();
    }
    assertThat(shop.sql("SELECT count(*) FROM dead_letters")).isEqualTo("0");
    assertThat(watch.scripts()).as("script runs seen").isGreaterThan(100);
  }

  @Test
  void aSessionIsFoundByIdOnAnyNodeAndStoredOnTheMasterOfItsSale() throws Exception {
    String sale = shop.sale(1, 0);
    String session = shop.join(sale);
    RedisCluster cluster = shop.cluster();
    String pointer = "session:" + session + ":product";
    assertThat(cluster.owner(cluster.slot(pointer))).isEqualTo(1);
    assertThat(cluster.call(1, "GET", pointer)).isEqualTo(sale);
    assertThat(Long.parseLong(cluster.call(1, "TTL", pointer))).isBetween(80_000L, 87_000L);
    assertThat(cluster.call(1, "EXISTS", "session:{" + sale + "}:" + session)).isEqualTo("1");
    try (TestFairgate other = shop.node(Map.of())) {
      HttpResponse<String> found =
          other.callUntilAccepted("GET", "/api/queue/status", "", "X-Session-Id", session);
      assertThat(json(found.body()).path("queue_status").asText()).isEqualTo("waiting");
    }
  }

  @Test
  void aSessionOfAnotherSaleIsReportedAndAnUnknownOneIsUnknown() throws Exception {
    String session = shop.join(shop.sale(1, 0));
    String elsewhere = shop.sale(2, 1);
    assertThat(shop.purchase(elsewhere, session, "", "k1").path("error").asText())
        .isEqualTo("NOT_IN_QUEUE");
    String nobody = "00000000-0000-4000-8000-000000000000";
    assertThat(shop.purchase(elsewhere, nobody, "", "k2").path("error").asText())
        .isEqualTo("SESSION_NOT_FOUND");
    assertThat(shop.status(nobody).path("error").asText()).isEqualTo("SESSION_NOT_FOUND");
    assertThat(shop.call("POST", "/api/queue/leave", "{}", nobody).path("error").asText())
        .isEqualTo("SESSION_NOT_FOUND");
  }

  @Test
  void aClusterConfiguredAsASingleRedisIsReportedAtTheStart() {
    assertThatThrownBy(shop::mistaken).hasMessageContaining("set redis.mode to cluster");
  }

  @Test
  void limitsRefuseOneCallTooManyOnAnyNode() {
    Map<String, String> limits =
        Map.of("limits", "on", "limit.budget_ms", "5000", "limit.login", "3/h window");
    // Counted, and refused before a password is hashed, for which a node may be too busy.
    String who = "{}";
    try (TestFairgate one = shop.node(limits);
        TestFairgate two = shop.node(limits)) {
      List<Integer> codes = new ArrayList<>();
      for (TestFairgate asked : List.of(one, two, one, two)) {
        codes.add(asked.call("POST", "/api/v1/login", who).statusCode());
      }
      assertThat(codes).containsExactly(400, 400, 400, 429);
    }
  }

  @Test
  void aSignedRequestIsSpentOnceWithItsLimitsAndWithoutThem() throws Exception {
    Map<String, String> settings =
        Map.of("limits", "on", "limit.budget_ms", "5000", "limit.ip", "100/s");
    JsonNode made = json(shop.server().admin("POST", "/api-keys", "{\"name\":\"cluster\"}"));
    RequestSigner signer =
        new RequestSigner(
            made.path("key_id").asText(), made.path("secret").asText(), Clock.systemUTC());
    String sale = shop.sale(0, 1);
    try (TestFairgate limited = shop.node(settings);
        HttpClient http = HttpClient.newHttpClient()) {
      List<Integer> codes = new ArrayList<>();
      for (TestFairgate node : List.of(shop.server(), limited, limited, shop.server())) {
        // The first nonce is spent without limits and repeated with limits; the second the other
        // way round.
        String nonce = codes.size() < 2 ? "nonce-of-the-cluster-1" : "nonce-of-the-cluster-2";
        URI uri = URI.create(node.baseUrl() + "/api/queue/join");
        RequestSigner.Draft join =
            RequestSigner.draft("POST", uri, ClusterShop.joinBody(sale))
                .param("nonce", '"' + nonce + '"');
        codes.add(http.send(signer.request(join), BodyHandlers.ofString()).statusCode());
      }
      assertThat(codes).containsExactly(200, 401, 200, 401);
    }
  }

  @Test
  void accountsLinksAndClaimsWork() throws Exception {
    TestFairgate server = shop.server();
    String who = "{\"username\":\"cluster\",\"password\":\"correct horse battery\"}";
    assertThat(server.callUntilAccepted("POST", "/api/v1/register", who).statusCode())
        .isEqualTo(201);
    String token =
        json(server.callUntilAccepted("POST", "/api/v1/login", who).body()).path("token").asText();
    String wanted =
        "{\"url\":\"https://example.com/cluster\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
    String code =
        json(server.callUntilAccepted("POST", "/api/v1/shortlinks", wanted).body())
            .path("code")
            .asText();
    try (TestFairgate other = shop.node(Map.of())) {
      HttpResponse<String> me =
          other.callUntilAccepted("GET", "/api/v1/me", "", "Authorization", "Bearer " + token);
      assertThat(me.statusCode()).as(me.body()).isEqualTo(200);
      for (TestFairgate one : List.of(server, other, other)) {
        assertThat(one.callUntilAccepted("GET", "/" + code, "").headers().firstValue("location"))
            .contains("https://example.com/cluster");
      }
    }
    String sale = shop.sale(0, 1);
    String claim =
        "{\"order_id\":\"%s\",\"product_id\":\"%s\",\"device_id\":\"web_abc123xyz456\"}"
            .formatted(shop.buy(sale).path("order_id").asText(), sale);
    Eventually.await(() -> server.call("POST", "/api/redeem/claim", claim).statusCode() == 200);
  }

  @Test
  void aMessageOfALineUserIsAnsweredOnce() throws Exception {
    String secret = "secret-of-the-line-channel-123456";
    try (FakeLine line = FakeLine.start(secret, "token", Clock.systemUTC());
        TestFairgate bot =
            shop.node(
                Map.of(
                    "line.api_url",
                    line.url(),
                    "line.channel_secret",
                    secret,
                    "line.channel_token",
                    "token"))) {
      URI webhook = URI.create(bot.baseUrl() + "/line/webhook");
      String user = LineEvents.userId("a person");
      ObjectNode event = line.events().text(LineEvents.From.user(user), "help");
      assertThat(line.send(webhook, event)).isEqualTo(200);
      assertThat(line.await(user, 1)).hasSize(1);
      assertThat(line.send(webhook, LineEvents.again(event))).isEqualTo(200);
      int owner = shop.cluster().owner(shop.cluster().slot("{line}:inbox"));
      Eventually.await(() -> shop.cluster().call(owner, "HLEN", "{line}:inbox").equals("0"));
      assertThat(line.shown(user)).hasSize(1);
    }
  }
}
