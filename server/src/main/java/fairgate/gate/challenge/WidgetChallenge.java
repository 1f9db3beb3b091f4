package fairgate.gate.challenge;

import fairgate.kernel.Ids;
import fairgate.kernel.Proof;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Cloudflare Turnstile: the page runs its widget, and siteverify judges the token. Cloudflare sees
/// to it that a token counts once.
///
/// A call without an answer is made once more under the same idempotency key. After five tokens in
/// a row without an answer calling stops, and every five seconds one made-up token asks whether
/// somebody is there again. While it stops, [#isDown] is true and every token is `Unavailable`.
public final class Turnstile implements ChallengeProvider {
  private static final Logger LOG = LoggerFactory.getLogger(Turnstile.class);

  private static final int LONGEST_TOKEN = 2048;
  private static final int IN_FLIGHT = 256;
  private static final int FAILURES = 5;
  private static final long PROBE_MILLIS = 5000;
  private static final Duration OLDEST = Duration.ofMinutes(5);
  private static final Duration SKEW = Duration.ofMinutes(1);
  private static final List<String> CALLERS_FAULT =
      List.of("missing-input-response", "invalid-input-response", "timeout-or-duplicate");

  private final TurnstileConfig config;
  private final SiteverifyClient client;
  private final Ids ids;
  private final Clock clock;
  private final Vertx vertx;
  private final String settings;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final Breaker breaker = new Breaker(FAILURES);
  private final AtomicBoolean secretRefused = new AtomicBoolean();
  private volatile boolean closed;

  /// @param config without problems
  public Turnstile(TurnstileConfig config, Ids ids, Clock clock, Vertx vertx) {
    this.config = config;
    this.client = new SiteverifyClient(config);
    this.ids = ids;
    this.clock = clock;
    this.vertx = vertx;
    this.settings =
        JsonText.object()
            .put("provider", "turnstile")
            .put("site_key", config.siteKey())
            .put("action", ChallengeContext.JOIN)
            .toString();
  }

  @Override
  public String name() {
    return "turnstile";
  }

  @Override
  public String settings() {
    return settings;
  }

  @Override
  public String offer(ChallengeContext context) {
    return settings;
  }

  /// Whether siteverify has stopped answering.
  public boolean isDown() {
    return breaker.isOpen();
  }

  @Override
  public Future<Proof> verify(String token, ChallengeContext context) {
    if (token.isEmpty() || token.length() > LONGEST_TOKEN) {
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
    CompletableFuture<Proof> proof =
        client
            .ask(token, context.clientAddress(), key)
            .exceptionallyCompose(_ -> client.ask(token, context.clientAddress(), key))
            .handle((reply, failure) -> conclude(reply, failure, context));
    return Future.fromCompletionStage(proof, vertx.getOrCreateContext());
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
        LOG.error("Turnstile does not answer; calls stop until it does", failure);
        probeLater();
      }
      return new Proof.Unavailable();
    }
    answered();
    return reply.success() ? checkFacts(reply, context) : explain(reply);
  }

  private Proof checkFacts(SiteverifyReply reply, ChallengeContext context) {
    if (!config.hostnames().isEmpty() && !config.hostnames().contains(reply.hostname())) {
      return new Proof.Rejected("hostname");
    }
    if (config.checkAction() && !reply.action().equals(context.action())) {
      return new Proof.Rejected("action");
    }
    Instant solved = reply.challengeTime();
    Instant now = clock.instant();
    if (solved == null || solved.isBefore(now.minus(OLDEST)) || solved.isAfter(now.plus(SKEW))) {
      return new Proof.Rejected("age");
    }
    return new Proof.Accepted(null);
  }

  /// Our own mistakes are never blamed on the caller.
  private Proof explain(SiteverifyReply reply) {
    if (reply.blamesSecret()) {
      if (!secretRefused.getAndSet(true)) {
        LOG.error("Turnstile refuses this server's secret {}; nobody can pass", reply.errors());
      }
      return new Proof.Unavailable();
    }
    secretRefused.set(false);
    for (String code : reply.errors()) {
      if (CALLERS_FAULT.contains(code)) {
        return new Proof.Rejected(code);
      }
    }
    LOG.warn("Turnstile could not judge a token: {}", reply.errors());
    return new Proof.Unavailable();
  }

  private void answered() {
    if (breaker.succeeded()) {
      LOG.warn("Turnstile answers again");
    }
  }

  private void probeLater() {
    vertx.setTimer(PROBE_MILLIS, _ -> probe());
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
    ByteBuffer random = ByteBuffer.wrap(Base64.getUrlDecoder().decode(ids.nonce()));
    long high = (random.getLong() & ~0xf000L) | 0x4000L;
    long low = (random.getLong() & ~(3L << 62)) | (1L << 63);
    return new UUID(high, low).toString();
  }
}
