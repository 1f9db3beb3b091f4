package fairgate.gate.challenge;

import fairgate.kernel.Proof;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A challenge that somebody else runs: the page shows the service's widget, and the service judges
/// the token and sees to it that it counts once.
///
/// A call without an answer is made once more where the service judges a repeat only once. After
/// five tokens in a row without an answer calling stops, and every five seconds one made-up token
/// asks whether somebody is there again. While it stops, [#isDown] is true and every token is
/// `Unavailable`.
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
  private final WidgetService service;
  private final int longestToken;
  private final SiteverifyClient client;
  private final ChallengeSeams seams;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Breaker breaker = new Breaker(FAILURES);
  private final AtomicBoolean keysRefused = new AtomicBoolean();
  private volatile boolean closed;

  private WidgetChallenge(
      WidgetConfig config, WidgetService service, int longestToken, ChallengeSeams seams) {
    this.config = config;
    this.service = service;
    this.longestToken = longestToken;
    this.client = new SiteverifyClient(service, config.timeout());
    this.seams = seams;
  }

  /// Cloudflare Turnstile.
  ///
  /// @param config without problems
  public static WidgetChallenge turnstile(WidgetConfig config, ChallengeSeams seams) {
    return new WidgetChallenge(
        config, new TurnstileService(config, seams.keys()), LONGEST_TURNSTILE, seams);
  }

  /// hCaptcha.
  ///
  /// @param config without problems
  public static WidgetChallenge hcaptcha(WidgetConfig config, ChallengeSeams seams) {
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
  public String offer(ChallengeContext context) {
    return service.offer(context);
  }

  /// Whether the service has stopped answering.
  public boolean isDown() {
    return breaker.isOpen();
  }

  /// Whether the service refuses this server's keys, so that nobody can pass.
  public boolean isMisconfigured() {
    return keysRefused.get();
  }

  @Override
  public Future<Proof> verify(String token, ChallengeContext context) {
    if (token.isEmpty() || token.length() > longestToken) {
      return Future.succeededFuture(new Proof.Rejected("malformed"));
    }
    if (breaker.isOpen() || closed) {
      return Future.succeededFuture(new Proof.Unavailable());
    }
    if (inFlight.incrementAndGet() > IN_FLIGHT) {
      inFlight.decrementAndGet();
      return Future.succeededFuture(new Proof.Unavailable());
    }
    String key = idempotencyKey();
    CompletableFuture<SiteverifyReply> answer = client.ask(token, context.clientAddress(), key);
    if (service.repeatable()) {
      answer = answer.exceptionallyCompose(_ -> client.ask(token, context.clientAddress(), key));
    }
    CompletableFuture<Proof> proof =
        answer.handle((reply, failure) -> conclude(reply, failure, context));
    return Future.fromCompletionStage(proof, seams.vertx().getOrCreateContext());
  }

  @Override
  public void close() {
    closed = true;
    client.close();
  }

  private Proof conclude(
      @Nullable SiteverifyReply reply, @Nullable Throwable failure, ChallengeContext context) {
    inFlight.decrementAndGet();
    if (reply == null) {
      if (breaker.failed()) {
        LOG.error("{} does not answer; calls stop until it does", name(), failure);
        probeLater();
      }
      return new Proof.Unavailable();
    }
    answered();
    return reply.success() ? checkFacts(reply, context) : explain(reply);
  }

  private Proof checkFacts(SiteverifyReply reply, ChallengeContext context) {
    keysRefused.set(false);
    if (!config.hostnames().isEmpty() && !config.hostnames().contains(reply.hostname())) {
      return new Proof.Rejected("hostname");
    }
    String problem = service.problem(reply, context);
    if (problem != null) {
      return new Proof.Rejected(problem);
    }
    return isYoung(reply) ? new Proof.Accepted(null) : new Proof.Rejected("age");
  }

  private boolean isYoung(SiteverifyReply reply) {
    Instant solved = reply.challengeTime();
    if (solved == null) {
      return !config.strict() && !reply.namesTime();
    }
    Instant now = seams.clock().instant();
    return !solved.isBefore(now.minus(OLDEST)) && !solved.isAfter(now.plus(SKEW));
  }

  /// Our own mistakes are never blamed on the caller.
  private Proof explain(SiteverifyReply reply) {
    if (service.blamesUs(reply)) {
      if (!keysRefused.getAndSet(true)) {
        LOG.error("{} refuses this server's keys {}; nobody can pass", name(), reply.errors());
      }
      return new Proof.Unavailable();
    }
    keysRefused.set(false);
    for (String code : reply.errors()) {
      if (service.callersFaults().contains(code)) {
        return new Proof.Rejected(code);
      }
    }
    LOG.warn("{} could not judge a token: {}", name(), reply.errors());
    return new Proof.Unavailable();
  }

  private void answered() {
    if (breaker.succeeded()) {
      LOG.warn("{} answers again", name());
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
}
