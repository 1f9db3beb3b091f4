package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.gate.challenge.Solver;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeTurnstile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Challenge tokens on the whole server.
class ChallengeTokensIT {
  private static final AtomicInteger IDS = new AtomicInteger(8_100);
  private static final int CROWD = 1_000;
  private static final int BUSY = 503;

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
    return server.callUntilAccepted("GET", "/api/challenge?product_id=" + product, "").body();
  }

  private static String body(String product, String token) {
    return "{\"product_id\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(product, token);
  }

  private static HttpResponse<String> join(TestFairgate server, String product, String token) {
    return server.call("POST", "/api/queue/join", body(product, token));
  }

  /// Joins until the server is not too busy, with a new token each time, because a call without an
  /// answer may have used its token up; returns the accepted token.
  private static String accepted(TestFairgate server, String product, Supplier<String> tokens) {
    String[] token = {""};
    HttpResponse<String> answer =
        Eventually.get(
            "the server is not too busy for a join",
            () -> {
              token[0] = tokens.get();
              return join(server, product, token[0]);
            },
            each -> each.statusCode() != BUSY);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return token[0];
  }

  /// Fails unless the join is refused for its token.
  private static void assertRefused(TestFairgate server, String product, Supplier<String> tokens) {
    assertRefused(
        Eventually.get(
            "the server is not too busy for a join",
            () -> join(server, product, tokens.get()),
            each -> each.statusCode() != BUSY));
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
  /// When it asks the only winner too, another crowd comes with another token.
  private void assertAcceptedOnce(TestFairgate server, Supplier<String> tokens) {
    Map<Integer, Long> statuses =
        Eventually.get(
            "the server is not too busy for the winner",
            () -> crowd(server, tokens.get()),
            each -> each.containsKey(200) || !each.containsKey(BUSY));
    assertThat(statuses).containsEntry(200, 1L);
    assertThat(statuses.getOrDefault(403, 0L) + statuses.getOrDefault(BUSY, 0L))
        .as(statuses.toString())
        .isEqualTo(CROWD - 1);
  }

  @Test
  void oneOfAThousandUsesOfASolutionIsAccepted() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      assertAcceptedOnce(server, () -> Solver.solve(challenge(server, product)));
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
      assertAcceptedOnce(server, cloudflare::issue);
    }
  }

  @Test
  void forgedReplayedAndForeignTokensAreRefused() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      ObjectNode forged = Solver.open(Solver.solve(challenge(server, product)));
      ((ObjectNode) forged.get("challenge").get("parameters")).put("expiresAt", 4_000_000_000L);
      assertRefused(server, product, () -> Solver.encode(forged.toString()));
      assertRefused(server, product, () -> "XXXX.DUMMY.TOKEN.XXXX");
      assertRefused(server, product, () -> Solver.solve(challenge(server, another)));
      String good = accepted(server, product, () -> Solver.solve(challenge(server, product)));
      assertRefused(server, product, () -> good);
    }
  }

  @Test
  void aChallengeFromBeforeTheOpeningIsValidAfterIt() {
    try (TestFairgate server = server(Map.of("challenge.provider", "altcha"))) {
      Iterator<String> tokens =
          Stream.generate(() -> Solver.solve(challenge(server, product)))
              .limit(20)
              .toList()
              .iterator();
      server.openSale(product);
      String _ = accepted(server, product, tokens::next);
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
      assertRefused(server, product, () -> cloudflare.issue("shop", "join", other, now));
      assertRefused(server, product, () -> cloudflare.issue("shop", "claim", own, now));
      assertRefused(server, product, () -> cloudflare.issue("shop", "join", "", now));
      String good = accepted(server, product, () -> cloudflare.issue("shop", "join", own, now));
      assertRefused(server, product, () -> good);
    }
  }

  private static HttpResponse<String> guestLink(TestFairgate server, String url, String token) {
    return server.callUntilAccepted("POST", "/api/v1/shortlinks", link(url, token));
  }

  private static String link(String url, String token) {
    return "{\"url\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(url, token);
  }

  @Test
  void aGuestsShortLinkNeedsASolutionOfItsOwn() {
    try (TestFairgate server =
        server(Map.of("challenge.provider", "altcha", "links.guests", "challenge"))) {
      String url = "https://example.com/";
      assertRefused(guestLink(server, url, "x".repeat(10_000)));
      assertRefused(guestLink(server, url, Solver.solve(challenge(server, product))));
      String[] token = {""};
      HttpResponse<String> made =
          Eventually.get(
              "the server is not too busy for a link",
              () -> {
                // A call without an answer may have used its token up.
                token[0] =
                    Solver.solve(
                        server.callUntilAccepted("GET", "/api/challenge?action=link", "").body());
                assertRefused(server, product, () -> token[0]);
                assertThat(guestLink(server, "ftp://example.com/", token[0]).statusCode())
                    .as("wrong input uses no solution up")
                    .isEqualTo(400);
                return server.call("POST", "/api/v1/shortlinks", link(url, token[0]));
              },
              answer -> answer.statusCode() != BUSY);
      assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
      assertRefused(guestLink(server, url, token[0]));
      assertThat(server.callUntilAccepted("GET", "/api/challenge?action=other", "").statusCode())
          .isEqualTo(400);
    }
  }
}
