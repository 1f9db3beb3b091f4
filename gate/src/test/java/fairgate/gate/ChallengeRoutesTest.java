package fairgate.gate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.GateConfig.ChallengeKind;
import fairgate.gate.GateFeature.GateDependencies;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.challenge.Solver;
import fairgate.kernel.ChallengeResult;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChallengeRoutesTest {
  private final GateFixture fixture = new GateFixture();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Metrics metrics = new Metrics();

  @AfterEach
  void close() {
    client.close();
    fixture.close();
  }

  @Test
  void theSettingsNameTheProvider() throws Exception {
    int port = serve(wire(ChallengeKind.ALTCHA));
    assertThat(get(port, "/api/challenge/config").body()).isEqualTo("{\"provider\":\"altcha\"}");
  }

  @Test
  void aChallengeIsSolvedAndCounted() throws Exception {
    GateFeature gate = wire(ChallengeKind.ALTCHA);
    int port = serve(gate);

    HttpResponse<String> reply = get(port, "/api/challenge?product_id=7");
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(reply.headers().firstValue("cache-control")).contains("no-store");
    assertThat(reply.headers().firstValue("set-cookie").orElse("")).contains("fairgate_device=");

    ChallengeProvider.Context join =
        ChallengeProvider.Context.join(GateFixture.SEVEN, "127.0.0.1", GateFixture.FRESH);
    ChallengeResult proof =
        GateFixture.verdict(gate.challenge().verify(Solver.solve(reply.body()), join));
    assertThat(proof).isInstanceOf(ChallengeResult.Accepted.class);
    assertThat(GateFixture.verdict(gate.challenge().verify("x", join)))
        .isEqualTo(new ChallengeResult.Rejected("malformed"));
    assertThat(metrics.scrape())
        .contains("fairgate_challenge_total{outcome=\"accepted\",provider=\"altcha\"} 1.0")
        .contains("fairgate_challenge_total{outcome=\"rejected\",provider=\"altcha\"} 1.0");
  }

  @Test
  void aKnownBrowserGetsAChallengeOfItsOwn() throws Exception {
    int port = serve(wire(ChallengeKind.ALTCHA));
    HttpResponse<String> first = get(port, "/api/challenge?product_id=7");
    assertThat(first.body()).contains("\"fresh\":true");

    String cookie = first.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    HttpResponse<String> second =
        client.send(
            request(port, "/api/challenge?product_id=7").header("Cookie", cookie).build(),
            BodyHandlers.ofString());
    assertThat(second.body()).contains("\"fresh\":false");
  }

  @Test
  void theTestProviderHandsOutItsToken() throws Exception {
    int port = serve(wire(ChallengeKind.TEST));
    assertThat(get(port, "/api/challenge/config").body()).isEqualTo("{\"provider\":\"test\"}");
    assertThat(get(port, "/api/challenge?product_id=7").body())
        .isEqualTo("{\"provider\":\"test\",\"token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
  }

  @Test
  void aChallengeNeedsAProduct() throws Exception {
    int port = serve(wire(ChallengeKind.ALTCHA));
    for (String query : new String[] {"", "?product_id=", "?product_id=x", "?product_id=-1"}) {
      HttpResponse<String> reply = get(port, "/api/challenge" + query);
      assertThat(reply.statusCode()).isEqualTo(400);
      assertThat(reply.body()).contains("INVALID_REQUEST").contains("product_id");
    }
  }

  @Test
  void aSenderOfLowRiskNeedsNoChallengeUnlessItAsksForOne() throws Exception {
    int port = serve(wire(ChallengeKind.ALTCHA));
    assertThat(get(port, "/api/challenge?product_id=8").body())
        .isEqualTo("{\"provider\":\"none\"}");
    assertThat(get(port, "/api/challenge?product_id=8&level=usual").body()).contains("parameters");
  }

  @Test
  void aHarderChallengeCostsMoreAndAnEasierOneDoesNotReplaceIt() throws Exception {
    AltchaConfig easy = GateFixture.EASY;
    GateFeature gate =
        wire(
            ChallengeKind.ALTCHA,
            new AltchaConfig(
                easy.algorithm(),
                easy.cost(),
                easy.keyPrefix(),
                easy.life(),
                List.of(),
                List.of(),
                4));
    int port = serve(gate);
    ChallengeProvider.Context join =
        ChallengeProvider.Context.join(GateFixture.SEVEN, "127.0.0.1", GateFixture.FRESH)
            .asHarder();
    String usual = Solver.solve(get(port, "/api/challenge?product_id=7").body());
    assertThat(GateFixture.verdict(gate.challenge().verify(usual, join)))
        .isEqualTo(new ChallengeResult.Rejected("too easy"));
    String harder = Solver.solve(get(port, "/api/challenge?product_id=7&level=harder").body());
    assertThat(GateFixture.verdict(gate.challenge().verify(harder, join)))
        .isInstanceOf(ChallengeResult.Accepted.class);
  }

  @Test
  void anUnknownLevelIsRefused() throws Exception {
    HttpResponse<String> reply =
        get(serve(wire(ChallengeKind.ALTCHA)), "/api/challenge?product_id=7&level=none");
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(reply.body()).contains("level").contains("usual, harder, slider");
  }

  private GateFeature wire(ChallengeKind kind) {
    return wire(kind, GateFixture.EASY);
  }

  private GateFeature wire(ChallengeKind kind, AltchaConfig altcha) {
    GateConfig config = new GateConfig(kind, altcha, GateConfig.defaults().widget());
    return GateFeature.wire(
        config,
        new GateDependencies(
            fixture.vertx, fixture.clock, fixture.ids, fixture.keys, metrics, new UsedOnce()));
  }

  private int serve(GateFeature gate) {
    return HttpServer.start(
            fixture.vertx,
            HttpConfig.defaults().withAddress("127.0.0.1", 0),
            gate.routes(
                (_, product) -> Future.succeededFuture(product.value().equals("8")),
                _ -> Future.succeededFuture(Duration.ZERO)),
            new HttpDependencies(fixture.ids, fixture.keys, metrics))
        .port();
  }

  private HttpResponse<String> get(int port, String path) throws Exception {
    return client.send(request(port, path).build(), BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }
}
