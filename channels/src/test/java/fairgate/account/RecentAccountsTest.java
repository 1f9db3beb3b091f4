package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.AccountFeature.RecentAccounts;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Counting requests by account asks for a session once a minute.
class RecentAccountsTest {
  private static final String OURS = "ours-";

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicLong nanos = new AtomicLong(-7);
  private final AtomicInteger lookups = new AtomicInteger();
  private final Map<String, String> sessions = new ConcurrentHashMap<>();
  private volatile boolean redisIsAway;
  private final RecentAccounts recent =
      new RecentAccounts(
          SessionCookie::token, token -> token.startsWith(OURS), this::find, nanos::get);
  private final HttpServer server = serve();

  private Future<Optional<SignedIn>> find(Request request) {
    lookups.incrementAndGet();
    return redisIsAway
        ? Future.failedFuture("redis is away")
        : Future.succeededFuture(
            Optional.ofNullable(sessions.get(SessionCookie.token(request)))
                .map(account -> new SignedIn(account, "s")));
  }

  private HttpServer serve() {
    Ids ids = new AccountWorld.RandomIds();
    return HttpServer.start(
        vertx,
        HttpConfig.defaults().withAddress("127.0.0.1", 0),
        List.of(
            Route.get(
                "/",
                request ->
                    recent
                        .of(request)
                        .map(found -> found.orElse("guest"))
                        .otherwise("unknown")
                        .map(text -> Reply.text(200, text)))),
        new HttpDependencies(ids, new KeyRing("k", Map.of("k", new byte[32])), new Metrics()));
  }

  @AfterEach
  void close() {
    http.close();
    vertx.close().await();
  }

  private String ask(String token) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"));
    if (!token.isEmpty()) {
      request.header("authorization", "Bearer " + token);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void aSessionIsLookedUpOnceAMinute() throws Exception {
    sessions.put(OURS + 1, "acc_ann");
    for (int i = 0; i < 9; i++) {
      assertThat(ask(OURS + 1)).isEqualTo("acc_ann");
    }
    assertThat(lookups).hasValue(1);
    nanos.addAndGet(Duration.ofSeconds(60).toNanos());
    assertThat(ask(OURS + 1)).isEqualTo("acc_ann");
    assertThat(lookups).hasValue(2);
  }

  @Test
  void guestsAndMadeUpSessionsAreNeverLookedUp() throws Exception {
    assertThat(ask("")).isEqualTo("guest");
    assertThat(ask("made-up")).isEqualTo("guest");
    assertThat(lookups).hasValue(0);
  }

  @Test
  void anEndedSessionIsForgottenAfterAMinuteAndThenCostsNothing() throws Exception {
    sessions.put(OURS + 1, "acc_ann");
    assertThat(ask(OURS + 1)).isEqualTo("acc_ann");
    sessions.clear();
    nanos.addAndGet(Duration.ofSeconds(60).toNanos());
    for (int i = 0; i < 9; i++) {
      assertThat(ask(OURS + 1)).isEqualTo("guest");
    }
    assertThat(lookups).hasValue(2);
  }

  @Test
  void afterAFailureTheNextRequestLooksAgain() throws Exception {
    sessions.put(OURS + 1, "acc_ann");
    redisIsAway = true;
    assertThat(ask(OURS + 1)).isEqualTo("unknown");
    redisIsAway = false;
    assertThat(ask(OURS + 1)).isEqualTo("acc_ann");
  }
}
