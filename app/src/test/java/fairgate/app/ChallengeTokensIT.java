package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.gate.challenge.Solver;
import fairgate.testkit.FakeTurnstile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Challenge tokens on the whole server.
class ChallengeTokensIT {
  private static final AtomicInteger IDS = new AtomicInteger(8_100);
  private static final int CROWD = 1_000;

  private final String product = Integer.toString(IDS.incrementAndGet());
  private final String another = Integer.toString(IDS.incrementAndGet());

  private TestFairgate server(Map<String, String> challenge) {
    Map<String, String> settings = new HashMap<>(challenge);
    settings.put("limits", "off");
    settings.put("challenge.altcha_cost", "1");
    TestEngines engines = TestEngines.shared();
    TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), settings);
    for (String id : List.of(product, another)) {
      server.createProduct(id, 5, "{\"preset\":\"queue\"}");
    }
    return server;
  }

  private static String challenge(TestFairgate server, String product) {
    return server.call("GET", "/api/challenge?product_id=" + product, "").body();
  }

  private static String body(String product, String token) {
    return "{\"product_id\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(product, token);
  }

  private static HttpResponse<String> join(TestFairgate server, String product, String token) {
    return server.call("POST", "/api/queue/join", body(product, token));
  }

  private static void assertRefused(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
    assertThat(answer.body()).contains("INVALID_TURNSTILE_TOKEN");
  }

  /// Sends concurrent joins with one token; returns how many succeeded and how many were refused
  /// for the token.
  private Map<Integer, Long> crowd(TestFairgate server, String token) {
    HttpClient http = HttpClient.newHttpClient();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.baseUrl() + "/api/queue/join"))
            .POST(HttpRequest.BodyPublishers.ofString(body(product, token)))
            .build();
    List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      calls.add(http.sendAsync(request, BodyHandlers.ofString()));
    }
    Map<Integer, Long> statuses = new HashMap<>();
    calls.forEach(call -> statuses.merge(call.join().statusCode(), 1L, Long::sum));
    http.close();
    return statuses;
  }

  /// A server that is too busy, as with too many concurrent calls to Cloudflare, asks for a retry.
  private static void assertAcceptedOnce(Map<Integer, Long> statuses) {
    assertThat(statuses).containsEntry(200, 1L);
    assertThat(statuses.getOrDefault(403, 0L) + statuses.getOrDefault(503, 0L))
        .as(statuses.toString())
        .isEqualTo(CROWD - 1);
  }

  @Test
  void oneOfAThousandUsesOfASolutionIsAccepted() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      String token = Solver.solve(challenge(server, product));
      assertAcceptedOnce(crowd(server, token));
    }
  }

  @Test
  void oneOfAThousandUsesOfATurnstileTokenIsAccepted() {
    try (FakeTurnstile cloudflare = FakeTurnstile.start(Clock.systemUTC());
        TestFairgate server =
            server(
                Map.of(
                    "challenge.provider",
                    "turnstile",
                    "challenge.site_key",
                    "0x4AAA",
                    "challenge.secret",
                    FakeTurnstile.SECRET,
                    "challenge.turnstile_url",
                    cloudflare.url()))) {
      assertAcceptedOnce(crowd(server, cloudflare.issue()));
    }
  }

  @Test
  void forgedReplayedAndForeignTokensAreRefused() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      String good = Solver.solve(challenge(server, product));
      ObjectNode forged = Solver.open(good);
      ((ObjectNode) forged.get("challenge").get("parameters")).put("expiresAt", 4_000_000_000L);
      assertRefused(join(server, product, Solver.encode(forged.toString())));
      assertRefused(join(server, product, "XXXX.DUMMY.TOKEN.XXXX"));
      assertRefused(join(server, product, Solver.solve(challenge(server, another))));
      assertThat(join(server, product, good).statusCode()).isEqualTo(200);
      assertRefused(join(server, product, good));
    }
  }

  @Test
  void aChallengeFromBeforeTheOpeningIsValidAfterIt() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      String token = Solver.solve(challenge(server, product));
      server.openSale(product);
      assertThat(join(server, product, token).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aTokenOfTurnstileForAnotherProductOrActionIsRefused() {
    try (FakeTurnstile cloudflare = FakeTurnstile.start(Clock.systemUTC());
        TestFairgate server =
            server(
                Map.of(
                    "challenge.provider", "turnstile",
                    "challenge.site_key", "0x4AAA",
                    "challenge.secret", FakeTurnstile.SECRET,
                    "challenge.strict", "on",
                    "challenge.turnstile_url", cloudflare.url()))) {
      String own = Solver.parse(challenge(server, product)).get("cdata").asText();
      String other = Solver.parse(challenge(server, another)).get("cdata").asText();
      var now = Clock.systemUTC().instant();
      assertRefused(join(server, product, cloudflare.issue("shop", "join", other, now)));
      assertRefused(join(server, product, cloudflare.issue("shop", "claim", own, now)));
      assertRefused(join(server, product, cloudflare.issue("shop", "join", "", now)));
      String good = cloudflare.issue("shop", "join", own, now);
      assertThat(join(server, product, good).statusCode()).isEqualTo(200);
      assertRefused(join(server, product, good));
    }
  }

  private static HttpResponse<String> guestLink(TestFairgate server, String url, String token) {
    return server.call(
        "POST",
        "/api/v1/shortlinks",
        "{\"url\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(url, token));
  }

  @Test
  void aGuestsShortLinkNeedsASolutionOfItsOwn() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      String url = "https://example.com/";
      assertRefused(
          server.call("POST", "/api/v1/shortlinks", "{\"url\":\"https://example.com/\"}"));
      assertRefused(guestLink(server, url, ""));
      assertRefused(guestLink(server, url, "x".repeat(10_000)));
      assertRefused(guestLink(server, url, Solver.solve(challenge(server, product))));
      String token = Solver.solve(server.call("GET", "/api/challenge?action=link", "").body());
      assertRefused(join(server, product, token));
      assertThat(guestLink(server, "ftp://example.com/", token).statusCode())
          .as("wrong input uses no solution up")
          .isEqualTo(400);
      HttpResponse<String> made = guestLink(server, url, token);
      assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
      assertRefused(guestLink(server, url, token));
      assertThat(server.call("GET", "/api/challenge?action=other", "").statusCode()).isEqualTo(400);
    }
  }
}
