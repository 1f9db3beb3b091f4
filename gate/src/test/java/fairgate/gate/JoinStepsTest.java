package fairgate.gate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.GateConfig.ChallengeKind;
import fairgate.gate.GateFeature.GateDependencies;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.challenge.Solver;
import fairgate.gate.challenge.WidgetConfig;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.testkit.SliderReader;
import io.vertx.core.Future;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Steps before joins, over a socket. `/ask/{sale}/{step}` tells where a join stands.
class JoinStepsTest {
  private final GateFixture fixture = new GateFixture();
  private final Metrics metrics = new Metrics();
  private final Set<JoinStep> away = EnumSet.noneOf(JoinStep.class);
  private Duration wait = Duration.ZERO;
  private HttpClient browser = browser();
  private final GateFeature gate =
      GateFeature.wire(
          new GateConfig(ChallengeKind.ALTCHA, easy(), WidgetConfig.defaults()),
          new GateDependencies(
              fixture.vertx, fixture.clock, fixture.ids, fixture.keys, metrics, new UsedOnce()));
  private final JoinSteps steps = gate.steps();
  private final int port =
      HttpServer.start(
              fixture.vertx,
              HttpConfig.defaults().withAddress("127.0.0.1", 0),
              Stream.concat(
                      gate
                          .routes(
                              (_, _) -> Future.succeededFuture(false),
                              _ -> Future.succeededFuture(wait))
                          .stream(),
                      Stream.of(
                          Route.get("/ask/{sale}/{step}", this::ask),
                          Route.get("/pass/{sale}/{step}", this::pass),
                          Route.get("/unsent/{sale}", this::unsent)))
                  .toList(),
              new HttpDependencies(fixture.ids, fixture.keys, metrics))
          .port();

  JoinStepsTest() {
    steps.offer(JoinStep.CODE, _ -> !away.contains(JoinStep.CODE));
    steps.offer(JoinStep.PASSKEY, _ -> !away.contains(JoinStep.PASSKEY));
  }

  @AfterEach
  void close() {
    gate.close();
    fixture.close();
  }

  private static AltchaConfig easy() {
    AltchaConfig easy = GateFixture.EASY;
    return new AltchaConfig(
        easy.algorithm(), 1, easy.keyPrefix(), easy.life(), List.of(), List.of(), 4);
  }

  private static HttpClient browser() {
    return HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
  }

  private Future<Reply> ask(Request request) {
    JoinStep step = step(request);
    return Future.succeededFuture(
        Reply.text(
            200,
            switch (steps.standing(step, sale(request), request, "D".repeat(22))) {
              case JoinSteps.Standing.Passed() -> "passed";
              case JoinSteps.Standing.Behind() -> "behind";
              case JoinSteps.Standing.Missing(JoinStep missing, String url) ->
                  missing.word() + ' ' + url;
            }));
  }

  private Future<Reply> pass(Request request) {
    return Future.succeededFuture(
        steps.passed(Reply.text(200, ""), request, sale(request), step(request)));
  }

  private Future<Reply> unsent(Request request) {
    return Future.succeededFuture(steps.unsent(Reply.text(200, ""), request, sale(request)));
  }

  private static ProductId sale(Request request) {
    return new ProductId(request.pathParam("sale"));
  }

  private static JoinStep step(Request request) {
    return JoinStep.named(request.pathParam("step")).orElseThrow();
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return browser.send(request.build(), BodyHandlers.ofString());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private String get(String path) {
    return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))).body();
  }

  private HttpResponse<String> solve(String ticket, String step, String token) {
    return send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/challenge/pass"))
            .header("content-type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"product_id\":\"7\",\"ticket\":\"%s\",\"step\":\"%s\",\"token\":\"%s\"}"
                        .formatted(ticket, step, token))));
  }

  private String ticket() {
    return get("/ask/7/slider").replaceFirst("slider /p/7/step\\?for=", "");
  }

  private String slider() {
    return get("/api/challenge?product_id=7&level=slider");
  }

  @Test
  void aSolvedSliderIsAPassForThisSaleAndBrowser() {
    String ticket = ticket();
    assertThat(ticket).startsWith("slider~" + "D".repeat(22) + '.');
    String offer = slider();
    HttpResponse<String> passed =
        solve(ticket, "slider", SliderReader.token(offer, SliderReader.read(offer)));
    assertThat(passed.body()).isEqualTo("{\"success\":true,\"step\":\"slider\"}");
    assertThat(get("/ask/7/slider")).isEqualTo("passed");
    assertThat(get("/ask/8/slider")).startsWith("slider /p/8/step");
    assertThat(get("/ask/7/code")).as("a harder one is asked for").startsWith("code ");
    fixture.clock.advance(JoinSteps.PASS_LIFE);
    assertThat(get("/ask/7/slider")).startsWith("slider ");
    browser = browser();
    assertThat(get("/ask/7/slider")).startsWith("slider ");
  }

  @Test
  void aPassOfAnotherBrowserIsNone() {
    var _ = ticket();
    HttpResponse<String> given =
        send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/pass/7/passkey")));
    String cookie = given.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    assertThat(get("/ask/7/passkey")).isEqualTo("passed");
    browser = HttpClient.newHttpClient();
    HttpResponse<String> stolen =
        send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ask/7/slider"))
                .header("cookie", cookie));
    assertThat(stolen.body()).startsWith("slider ");
  }

  @Test
  void aWrongSliderIsNoPassAndCannotBeTriedAgain() {
    String ticket = ticket();
    String offer = slider();
    int gap = SliderReader.read(offer);
    assertThat(solve(ticket, "slider", SliderReader.token(offer, gap - 30)).body())
        .contains("INVALID_TURNSTILE_TOKEN");
    assertThat(solve(ticket, "slider", SliderReader.token(offer, gap)).statusCode()).isEqualTo(403);
    assertThat(get("/ask/7/slider")).startsWith("slider ");
  }

  @Test
  void aHarderProofOfWorkStandsInForTheSliderOnce() {
    String ticket = ticket();
    String usual = Solver.solve(get("/api/challenge?product_id=7&level=usual"));
    assertThat(solve(ticket, "work", usual).statusCode()).isEqualTo(403);
    String harder = Solver.solve(get("/api/challenge?product_id=7&level=harder"));
    assertThat(solve(ticket, "work", harder).statusCode()).isEqualTo(200);
    assertThat(get("/ask/7/slider")).isEqualTo("passed");
    assertThat(solve(ticket, "work", harder).statusCode()).isEqualTo(403);
  }

  @Test
  void whoCannotDoACodeChoosesAPlaceBehindTheOthersAndMayStillDoIt() {
    var _ = ticket();
    String ticket = get("/ask/7/code").replaceFirst(".*for=", "");
    String harder = Solver.solve(get("/api/challenge?product_id=7&level=harder"));
    assertThat(solve(ticket, "work", harder).statusCode()).isEqualTo(200);
    assertThat(get("/ask/7/code")).isEqualTo("behind");
    assertThat(get("/ask/7/slider")).as("its risk is lower now").isEqualTo("passed");
    var _ = get("/pass/7/code");
    assertThat(get("/ask/7/code")).isEqualTo("passed");
  }

  @Test
  void withoutATicketOfThisBrowserNothingIsPassed() {
    String ticket = ticket();
    String token = Solver.solve(get("/api/challenge?product_id=7&level=harder"));
    assertThat(solve("work~x.1.k1.AAAA", "work", token).body())
        .contains("INVALID_REQUEST", "ticket");
    assertThat(solve(ticket, "passkey", token).body()).contains("work, slider");
    fixture.clock.advance(JoinSteps.TICKET_LIFE);
    assertThat(solve(ticket, "work", token).statusCode()).isEqualTo(400);
  }

  /// Others at the address may have used the tries up.
  @Test
  void whoHasNoTryAtTheSliderLeftMayStillWork() {
    String ticket = ticket();
    String offer = slider();
    wait = Duration.ofMinutes(3);
    HttpResponse<String> tooMany =
        solve(ticket, "slider", SliderReader.token(offer, SliderReader.read(offer)));
    assertThat(tooMany.statusCode()).isEqualTo(429);
    assertThat(tooMany.headers().firstValue("retry-after")).contains("180");
    String harder = Solver.solve(get("/api/challenge?product_id=7&level=harder"));
    assertThat(solve(ticket, "work", harder).statusCode()).isEqualTo(200);
  }

  @Test
  void aPasskeyCountsForACodeAndACodeNotForAPasskey() {
    var _ = ticket();
    var _ = get("/pass/7/code");
    assertThat(get("/ask/7/code")).isEqualTo("passed");
    assertThat(get("/ask/7/passkey")).startsWith("passkey ");
    var _ = get("/pass/8/passkey");
    assertThat(get("/ask/8/code")).isEqualTo("passed");
    assertThat(get("/ask/8/slider")).isEqualTo("passed");
  }

  @Test
  void aStepThatCannotBeOfferedIsReplacedByTheNextEasierOne() {
    var _ = ticket();
    assertThat(get("/ask/7/passkey")).startsWith("passkey ");
    away.add(JoinStep.PASSKEY);
    assertThat(get("/ask/7/passkey")).startsWith("code ");
    away.add(JoinStep.CODE);
    assertThat(get("/ask/7/passkey")).startsWith("slider ");
    var _ = get("/pass/7/work");
    assertThat(get("/ask/7/passkey")).isEqualTo("passed");
  }

  @Test
  void aCodeThatCouldNotBeSentMakesTheSliderEnough() {
    var _ = ticket();
    var _ = get("/pass/7/work");
    assertThat(get("/ask/7/code")).startsWith("code ");
    var _ = get("/unsent/7");
    assertThat(get("/ask/7/code")).isEqualTo("passed");
    assertThat(get("/ask/7/passkey")).startsWith("passkey ");
    var _ = get("/unsent/8");
    assertThat(get("/ask/8/code")).startsWith("slider ");
  }

  @Test
  void aJoinWithoutABrowserIsSeatedBehind() {
    assertThat(steps.standing(JoinStep.CODE, GateFixture.SEVEN, null, "x"))
        .isEqualTo(new JoinSteps.Standing.Behind());
  }
}
