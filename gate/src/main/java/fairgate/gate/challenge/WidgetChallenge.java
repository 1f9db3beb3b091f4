package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.CircuitBreaker;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A challenge of an outside service: the page shows the service's widget, and the service verifies
/// each token and accepts it once.
///
/// A call without a response is retried once if the service supports a safe retry. After five
/// consecutive tokens without a response, calls are suspended, and a made-up token probes the
/// service every five seconds. Meanwhile [#isDown] is true and every token is `Unavailable`.
public final class WidgetChallenge implements ChallengeProvider {
  private static final Logger LOG = LoggerFactory.getLogger(WidgetChallenge.class);

  private static final int LONGEST_TURNSTILE = 2048;
  private static final int LONGEST_HCAPTCHA = 4096;
  private static final int IN_FLIGHT = 256;
  private static final int FAILURES = 5;
  private static final long PROBE_MILLIS = 5000;
  private static final Duration OLDEST = Duration.ofMinutes(5);
  private static final Duration SKEW = Duration.ofMinutes(1);

  private final WidgetConfig config;
  private final Service service;
  private final int longestToken;
  private final SiteverifyClient client;
  private final ChallengeProvider.Dependencies seams;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final CircuitBreaker breaker =
      new CircuitBreaker(FAILURES, Duration.ZERO, System::nanoTime);
  private final AtomicBoolean keysRefused = new AtomicBoolean();
  private volatile boolean closed;

  private WidgetChallenge(
      WidgetConfig config,
      Service service,
      int longestToken,
      ChallengeProvider.Dependencies seams) {
    this.config = config;
    this.service = service;
    this.longestToken = longestToken;
    this.client = new SiteverifyClient(service, config.timeout());
    this.seams = seams;
  }

  /// Cloudflare Turnstile.
  ///
  /// @param config without problems
  public static WidgetChallenge turnstile(
      WidgetConfig config, ChallengeProvider.Dependencies seams) {
    return new WidgetChallenge(
        config, new TurnstileService(config, seams.keys()), LONGEST_TURNSTILE, seams);
  }

  /// hCaptcha.
  ///
  /// @param config without problems
  public static WidgetChallenge hcaptcha(
      WidgetConfig config, ChallengeProvider.Dependencies seams) {
    return new WidgetChallenge(config, new HcaptchaService(config), LONGEST_HCAPTCHA, seams);
  }

  @Override
  public String name() {
    return service.name();
  }

  @Override
  public String settings() {
    return service.settings();
  }

  @Override
  public String offer(ChallengeProvider.Context context) {
    return service.offer(context);
  }

  public boolean isDown() {
    return breaker.isOpen();
  }

  /// Whether the service refuses this server's keys, so that nobody can pass.
  public boolean isMisconfigured() {
    return keysRefused.get();
  }

  @Override
  public Future<ChallengeResult> verify(String token, ChallengeProvider.Context context) {
    if (token.isEmpty() || token.length() > longestToken) {
      return Future.succeededFuture(new ChallengeResult.Rejected("malformed"));
    }
    if (breaker.isOpen() || closed) {
      return Future.succeededFuture(new ChallengeResult.Unavailable());
    }
    if (inFlight.incrementAndGet() > IN_FLIGHT) {
      inFlight.decrementAndGet();
      return Future.succeededFuture(new ChallengeResult.Unavailable());
    }
    String key = idempotencyKey();
    CompletableFuture<SiteverifyReply> answer = client.ask(token, context.clientAddress(), key);
    if (service.repeatable()) {
      answer = answer.exceptionallyCompose(_ -> client.ask(token, context.clientAddress(), key));
    }
    CompletableFuture<ChallengeResult> proof =
        answer.handle((reply, failure) -> conclude(reply, failure, context));
    return Future.fromCompletionStage(proof, seams.vertx().getOrCreateContext());
  }

  @Override
  public void close() {
    closed = true;
    client.close();
  }

  private ChallengeResult conclude(
      @Nullable SiteverifyReply reply,
      @Nullable Throwable failure,
      ChallengeProvider.Context context) {
    inFlight.decrementAndGet();
    if (reply == null) {
      if (breaker.failed()) {
        LOG.error(
            "Challenge service does not respond; calls are suspended; provider={}",
            name(),
            failure);
        probeLater();
      }
      return new ChallengeResult.Unavailable();
    }
    answered();
    return reply.success() ? checkFacts(reply, context) : explain(reply);
  }

  private ChallengeResult checkFacts(SiteverifyReply reply, ChallengeProvider.Context context) {
    keysRefused.set(false);
    if (!config.hostnames().isEmpty() && !config.hostnames().contains(reply.hostname())) {
      return new ChallengeResult.Rejected("hostname");
    }
    String problem = service.problem(reply, context);
    if (problem != null) {
      return new ChallengeResult.Rejected(problem);
    }
    return isYoung(reply)
        ? new ChallengeResult.Accepted(null)
        : new ChallengeResult.Rejected("age");
  }

  private boolean isYoung(SiteverifyReply reply) {
    Instant solved = reply.challengeTime();
    if (solved == null) {
      return !config.strict() && !reply.namesTime();
    }
    Instant now = seams.clock().instant();
    return !solved.isBefore(now.minus(OLDEST)) && !solved.isAfter(now.plus(SKEW));
  }

  /// Errors of this server are never attributed to the caller.
  private ChallengeResult explain(SiteverifyReply reply) {
    if (service.isMisconfigured(reply)) {
      if (!keysRefused.getAndSet(true)) {
        LOG.error(
            "Challenge service refuses this server's keys; nobody can pass; provider={}, errors={}",
            name(),
            reply.errors());
      }
      return new ChallengeResult.Unavailable();
    }
    keysRefused.set(false);
    for (String code : reply.errors()) {
      if (service.callerErrors().contains(code)) {
        return new ChallengeResult.Rejected(code);
      }
    }
    LOG.warn(
        "Challenge service could not verify a token; provider={}, errors={}",
        name(),
        reply.errors());
    return new ChallengeResult.Unavailable();
  }

  private void answered() {
    if (breaker.succeeded()) {
      LOG.warn("Challenge service responds again; provider={}", name());
    }
  }

  private void probeLater() {
    seams.vertx().setTimer(PROBE_MILLIS, _ -> probe());
  }

  private void probe() {
    if (closed) {
      return;
    }
    var _ =
        client
            .ask("probe", "", idempotencyKey())
            .whenComplete(
                (_, failure) -> {
                  if (failure == null) {
                    answered();
                  } else {
                    probeLater();
                  }
                });
  }

  private String idempotencyKey() {
    ByteBuffer random = ByteBuffer.wrap(Base64.getUrlDecoder().decode(seams.ids().nonce()));
    long high = (random.getLong() & ~0xf000L) | 0x4000L;
    long low = (random.getLong() & ~(3L << 62)) | (1L << 63);
    return new UUID(high, low).toString();
  }

  /// Client of siteverify. A future fails when there is no usable response in time, or a response
  /// that asks for a retry.
  static final class SiteverifyClient implements AutoCloseable {
    private static final long LONGEST_REPLY = 16 * 1024;

    private final HttpClient http;
    private final Service service;
    private final Duration timeout;

    SiteverifyClient(Service service, Duration timeout) {
      this.service = service;
      this.timeout = timeout;
      boolean secure = "https".equals(service.address().getScheme());
      this.http =
          HttpClient.newBuilder()
              .version(secure ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .connectTimeout(timeout)
              .build();
    }

    /// Sends one call. The configured timeout covers the whole exchange, including the body.
    CompletableFuture<SiteverifyReply> ask(
        String token, String clientAddress, String idempotencyKey) {
      HttpRequest request = service.request(token, clientAddress, idempotencyKey);
      CompletableFuture<HttpResponse<byte[]>> exchange =
          http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LONGEST_REPLY));
      return exchange
          .copy()
          .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .whenComplete((_, failure) -> stop(exchange, failure != null))
          .thenCompose(SiteverifyClient::understand);
    }

    @Override
    public void close() {
      http.shutdownNow();
    }

    /// Releases the connection of an abandoned call.
    private static void stop(CompletableFuture<?> exchange, boolean failed) {
      if (failed) {
        exchange.cancel(true);
      }
    }

    private static CompletableFuture<SiteverifyReply> understand(HttpResponse<byte[]> response) {
      int status = response.statusCode();
      if (status == 429) {
        return CompletableFuture.completedFuture(SiteverifyReply.refused("too-many-requests"));
      }
      SiteverifyReply reply =
          status >= 500 ? null : SiteverifyReply.read(response.body()).orElse(null);
      if (reply == null || (reply.success() && status != 200)) {
        return CompletableFuture.failedFuture(
            new IOException("siteverify returned status " + status));
      }
      if (reply.errors().contains(SiteverifyReply.INTERNAL_ERROR)) {
        return CompletableFuture.failedFuture(
            new IOException("siteverify reported an internal error"));
      }
      return CompletableFuture.completedFuture(reply);
    }
  }

  sealed interface Service permits TurnstileService, HcaptchaService {
    /// The name in the configuration and the page.
    String name();

    URI address();

    /// The request that verifies a token.
    ///
    /// @param idempotencyKey a UUID, the same for a retry of the same call
    HttpRequest request(String token, String clientAddress, String idempotencyKey);

    /// Whether a call without a response may be retried: the service counts the token once.
    boolean repeatable();

    /// The error codes about the token. All others are errors of this server or the service.
    Set<String> callerErrors();

    /// Whether the service refuses this server's keys, which an operator has to fix.
    boolean isMisconfigured(SiteverifyReply reply);

    /// See [ChallengeProvider#settings].
    String settings();

    /// See [ChallengeProvider#offer].
    String offer(ChallengeProvider.Context context);

    /// The first wrong binding of a token that the service has accepted; null when all are right.
    @Nullable String problem(SiteverifyReply reply, ChallengeProvider.Context context);
  }

  /// A widget's challenge with proof of work as its fallback while the service is down.
  ///
  /// The server issues proof-of-work challenges only during such an outage; their solutions are
  /// valid on every node until they expire. So nobody can choose the easier challenge while the
  /// widget works: there is no challenge signed by this server to solve.
  public record FallbackChallenge(WidgetChallenge widget, Altcha altcha)
      implements ChallengeProvider {
    @Override
    public String name() {
      return widget.name();
    }

    @Override
    public Future<ChallengeResult> verify(String token, ChallengeProvider.Context context) {
      return AltchaPayload.looksLikeOne(token)
          ? altcha.verify(token, context)
          : widget.verify(token, context);
    }

    @Override
    public String settings() {
      return now().settings();
    }

    @Override
    public String offer(ChallengeProvider.Context context) {
      return now().offer(context);
    }

    @Override
    public void close() {
      widget.close();
      altcha.close();
    }

    private ChallengeProvider now() {
      return widget.isDown() ? altcha : widget;
    }
  }
}
