package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.limit.LimitFacts;
import fairgate.gate.signature.SignatureGuard.SignatureMeters;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Action;
import fairgate.platform.http.Guard;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.redis.SingleUse;
import fairgate.testkit.RequestSigner;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The guard's findings for the limits.
class SignatureGuardTest {
  private static final Vertx VERTX = Vertx.vertx();

  private final SignatureWorld world = new SignatureWorld();
  private final RedisClient redis =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(60)))
          .await();
  private final Metrics metrics = new Metrics();
  private final ApiKeys.CreatedKey key = world.keys.create("tests", null, "operator").orElseThrow();
  private final RequestSigner signer =
      new RequestSigner(key.key().id(), key.secret(), world.gate.clock);
  private final List<Optional<LimitFacts.Nonce>> told = new CopyOnWriteArrayList<>();
  private volatile Optional<Reply> verdict = Optional.empty();
  private final HttpServer server = serve();

  @AfterEach
  void close() {
    redis.close();
    world.close();
  }

  /// Fake limits that record the findings and reply as the test demands.
  private final class Limits implements Guard, Guard.RouteGuard {
    @Override
    public RouteGuard routeGuard(Action action, RouteLimits limits) {
      return this;
    }

    @Override
    public @Nullable Reply enter(Request request) {
      return null;
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      told.add(Optional.ofNullable(SignatureGuard.tell(request, LimitFacts.NONE).once()));
      return Future.succeededFuture(verdict);
    }

    @Override
    public void left(Request request) {}
  }

  private HttpServer serve() {
    SignatureGuard guard =
        new SignatureGuard(
            world.service,
            SignatureConfig.requiring(List.of("/api/signed")),
            new SingleUse(redis),
            redis.tag(LimitFacts.TAG),
            SignatureMeters.of(metrics),
            new Limits());
    return HttpServer.start(
        world.gate.vertx,
        HttpConfig.defaults().withAddress("127.0.0.1", 0),
        List.of(
            Route.get("/api/signed", _ -> Future.succeededFuture(Reply.text(200, "signed"))),
            Route.get("/api/open", _ -> Future.succeededFuture(Reply.text(200, "open")))),
        new HttpDependencies(world.gate.ids, world.gate.keys, metrics, guard));
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.sendAsync(request, BodyHandlers.ofString()).join();
    }
  }

  private HttpResponse<String> signed(String path, String nonce) {
    return send(
        signer.request(
            RequestSigner.draft("GET", uri(path), "").param("nonce", '"' + nonce + '"')));
  }

  @Test
  void onlyTheLimitsSpendTheNonce() {
    String nonce = "nonce-" + System.nanoTime();
    assertThat(signed("/api/signed", nonce).statusCode()).isEqualTo(200);
    String redisKey = "nonce:" + key.key().id() + ":" + nonce;
    assertThat(told).containsExactly(Optional.of(new LimitFacts.Nonce(redisKey, 121_000)));
    assertThat(redis.send("EXISTS", redisKey).await().number()).isZero();
  }

  @Test
  void anUnsignedRequestHasNoFinding() {
    assertThat(send(HttpRequest.newBuilder(uri("/api/open")).build()).statusCode()).isEqualTo(200);
    assertThat(told).containsExactly(Optional.empty());
  }

  @Test
  void wrongAndMissingSignaturesCountInTheLimits() {
    assertThat(send(HttpRequest.newBuilder(uri("/api/signed")).build()).statusCode())
        .isEqualTo(401);
    assertThat(signed("/api/signed", "too short").statusCode()).isEqualTo(401);
    assertThat(told).containsExactly(Optional.empty(), Optional.empty());
    verdict = Optional.of(Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED)));
    assertThat(send(HttpRequest.newBuilder(uri("/api/signed")).build()).statusCode())
        .isEqualTo(429);
  }

  @Test
  void aReplayFoundByTheLimitsIsRefusedAsOne() {
    verdict = Optional.of(Reply.refuse(Refusal.of(ErrorCode.INVALID_SIGNATURE)));
    HttpResponse<String> answer = signed("/api/signed", "0123456789abcdef");
    assertThat(answer.body()).contains("\"reason\":\"nonce\"");
    assertThat(answer.headers().firstValue("accept-signature")).isPresent();
    verdict = Optional.of(Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED)));
    assertThat(signed("/api/signed", "0123456789abcdef").statusCode()).isEqualTo(429);
    verdict = Optional.empty();
    assertThat(signed("/api/signed", "0123456789abcdef").statusCode()).isEqualTo(200);
    assertThat(metrics.scrape())
        .contains("fairgate_signatures_total{outcome=\"replayed\"} 1.0")
        .contains("fairgate_signatures_total{outcome=\"signed\"} 1.0");
  }
}
