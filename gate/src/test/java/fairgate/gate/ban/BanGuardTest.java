package fairgate.gate.ban;

import static fairgate.gate.ban.BanNode.subject;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.Audit;
import fairgate.kernel.BanSubject;
import fairgate.kernel.BanSubject.Kind;
import fairgate.kernel.SessionId;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.Action;
import fairgate.platform.http.Decisions;
import fairgate.platform.http.Guard;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.postgres.FreshDatabase;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Bans over HTTP, with addresses from a trusted proxy.
class BanGuardTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SESSION = "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11";

  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
  private final GateFixture fixture = new GateFixture();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicInteger askedNext = new AtomicInteger();
  private final AtomicInteger accountsLookedUp = new AtomicInteger();
  private final BanNode node =
      new BanNode(
          BOOKS.vertx(),
          BOOKS.database(),
          fixture,
          BanService.Config.defaults(),
          Networks.Config.none());
  private final int port = serve();

  private int serve() {
    AddressBlock proxy = Objects.requireNonNull(AddressBlock.parse("127.0.0.1"));
    List<Route> routes =
        List.of(
            Route.get("/api/x", _ -> Future.succeededFuture(Reply.text(200, "in"))),
            Route.post("/api/x", _ -> Future.succeededFuture(Reply.text(200, "in"))),
            Route.get(
                "/device", r -> Future.succeededFuture(Reply.text(200, r.device().id().value()))),
            Route.get(
                "/api/stream",
                _ ->
                    Future.succeededFuture(
                        Reply.events(
                            stream -> {
                              boolean _ = stream.send("", "status", "{}");
                            }))),
            Route.get("/assets/style.css", _ -> Future.succeededFuture(Reply.text(200, "css"))),
            Route.get(
                "/appeal/{decision_id}", _ -> Future.succeededFuture(Reply.text(200, "form"))),
            Route.get("/health/live", _ -> Future.succeededFuture(Reply.text(200, "in"))),
            Route.get("/api/admin/x", _ -> Future.succeededFuture(Reply.text(200, "in"))),
            Route.post(
                "/api/payments/webhook", _ -> Future.succeededFuture(Reply.text(200, "in"))));
    return HttpServer.start(
            BOOKS.vertx(),
            HttpConfig.defaults()
                .withAddress("127.0.0.1", 0)
                .withProxies(new Proxies(List.of(proxy), Proxies.Header.X_FORWARDED_FOR, false)),
            routes,
            new HttpDependencies(
                fixture.ids,
                fixture.keys,
                node.metrics,
                node.bans.guard(this::accountOf, new Counting()),
                Audit.none(),
                (_, _) -> {},
                new Decisions(fixture.keys, fixture.clock, _ -> {}),
                null))
        .port();
  }

  /// The account in a header, after a delay.
  private Future<Optional<String>> accountOf(Request request) {
    String account = request.header("X-Account");
    if (account == null) {
      return Future.succeededFuture(Optional.empty());
    }
    return request
        .signedIn(
            _ -> {
              int _ = accountsLookedUp.incrementAndGet();
              return BOOKS.vertx().timer(1).map(_ -> Optional.of(new SignedIn(account, "s")));
            })
        .map(who -> who.map(SignedIn::account));
  }

  private final class Counting implements Guard {
    @Override
    public RouteGuard routeGuard(Action action, RouteLimits limits) {
      return new RouteGuard() {
        @Override
        public @Nullable Reply enter(Request request) {
          int _ = askedNext.incrementAndGet();
          return null;
        }

        @Override
        public Future<Optional<Reply>> judge(Request request) {
          return PASS;
        }

        @Override
        public void left(Request request) {}
      };
    }
  }

  @AfterAll
  static void closeBooks() {
    BOOKS.close();
  }

  @AfterEach
  void close() {
    client.shutdownNow();
    node.close();
    fixture.close();
    var _ = BOOKS.database().tx(db -> db.update("DELETE FROM bans"));
  }

  private HttpResponse<String> call(String method, String path, String from, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("X-Forwarded-For", from)
            .timeout(Duration.ofMinutes(1))
            .method(
                method,
                method.equals("POST")
                    ? HttpRequest.BodyPublishers.ofString("x".repeat(2_000))
                    : HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private Ban ban(BanSubject subject, @Nullable Duration length) {
    return switch (node.bans.add(Ban.Effect.BAN, subject, "secret reason", "op", length)) {
      case BanService.Outcome.Added(Ban ban) -> ban;
      case BanService.Outcome other -> throw new AssertionError(other);
    };
  }

  private static JsonNode json(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  @Test
  void aBanEndsOnlyTheOpenStreamsOfTheBanned() throws Exception {
    CompletableFuture<byte[]> banned = stream("203.0.113.9");
    CompletableFuture<byte[]> other = stream("198.51.100.1");
    ban(subject(Kind.NETWORK, "203.0.113.0/24"), Duration.ofHours(1));
    assertThat(banned.get(60, TimeUnit.SECONDS)).asString().contains("event: status");
    assertThat(other).isNotDone();
  }

  /// Opens an event stream; completes with its content when the server ends it.
  private CompletableFuture<byte[]> stream(String from, String... headers) throws Exception {
    InputStream events =
        client
            .send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/stream"))
                    .headers(more(headers, "X-Forwarded-For", from))
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream())
            .body();
    return CompletableFuture.supplyAsync(
        () -> {
          try (events) {
            return events.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        Thread::startVirtualThread);
  }

  private static String[] more(String[] headers, String name, String value) {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = name;
    all[headers.length + 1] = value;
    return all;
  }

  @Test
  void aBannedAccountIsRefusedFromEveryAddress() throws IOException {
    assertThat(call("POST", "/api/x", "192.0.2.1", "X-Account", "acc_1").statusCode())
        .isEqualTo(200);
    assertThat(accountsLookedUp).as("nobody is banned by the account").hasValue(0);
    Ban ban = ban(BanSubject.account("acc_1"), Duration.ofHours(1));
    for (String method : List.of("GET", "POST")) {
      HttpResponse<String> answer = call(method, "/api/x", "192.0.2.1", "X-Account", "acc_1");
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(json(answer).path("banned_until").asLong()).isEqualTo(ban.until());
      assertThat(json(answer).path("decision_id").asText()).hasSizeGreaterThan(40);
    }
    assertThat(accountsLookedUp).as("once for each request").hasValue(2);
    assertThat(call("POST", "/api/x", "192.0.2.1").statusCode()).isEqualTo(200);
    assertThat(accountsLookedUp).as("guests are not looked up").hasValue(2);
    assertThat(call("POST", "/api/x", "192.0.2.1", "X-Account", "acc_2").statusCode())
        .isEqualTo(200);
  }

  @Test
  void anAllowedAccountPassesFromABannedNetwork() {
    ban(subject(Kind.NETWORK, "203.0.113.0/24"), null);
    var _ = node.bans.add(Ban.Effect.ALLOW, BanSubject.account("acc_1"), "the owner", "op", null);
    assertThat(call("POST", "/api/x", "203.0.113.9", "X-Account", "acc_1").statusCode())
        .isEqualTo(200);
    assertThat(call("POST", "/api/x", "203.0.113.9", "X-Account", "acc_2").statusCode())
        .isEqualTo(403);
    assertThat(call("POST", "/api/x", "203.0.113.9").statusCode()).isEqualTo(403);
  }

  @Test
  void aBanOfAnAccountEndsItsOpenStreams() throws Exception {
    CompletableFuture<byte[]> banned = stream("192.0.2.1", "X-Account", "acc_1");
    CompletableFuture<byte[]> other = stream("192.0.2.1", "X-Account", "acc_2");
    ban(BanSubject.account("acc_1"), Duration.ofHours(1));
    assertThat(banned.get(60, TimeUnit.SECONDS)).asString().contains("event: status");
    assertThat(other).isNotDone();
  }

  @Test
  void bannedCallersGetTheStyleSheetOfTheBanPage() {
    ban(subject(Kind.NETWORK, "203.0.113.0/24"), Duration.ofHours(1));
    assertThat(call("GET", "/assets/style.css", "203.0.113.9").statusCode()).isEqualTo(200);
  }

  @Test
  void bannedCallersCanAppeal() {
    ban(subject(Kind.NETWORK, "203.0.113.0/24"), Duration.ofHours(1));
    assertThat(call("GET", "/appeal/x", "203.0.113.9").statusCode()).isEqualTo(200);
    assertThat(call("GET", "/appeal", "203.0.113.9").statusCode()).isNotEqualTo(200);
  }

  @Test
  void aRefusalHasTheEndOfTheBanAndNothingElse() throws IOException {
    Ban ban = ban(subject(Kind.NETWORK, "203.0.113.0/24"), Duration.ofHours(1));
    HttpResponse<String> answer = call("GET", "/api/x", "203.0.113.9");
    assertThat(answer.statusCode()).isEqualTo(403);
    JsonNode body = json(answer);
    assertThat(body.path("error").asText()).isEqualTo("CLIENT_BANNED");
    assertThat(body.path("banned_until").asLong()).isEqualTo(ban.until());
    assertThat(body.path("decision_id").asText()).hasSizeGreaterThan(40);
    assertThat(answer.body()).doesNotContain("secret reason");
    String appeal = body.path("appeal_url").asText();
    assertThat(appeal).isEqualTo("/appeal/" + body.path("decision_id").asText());
    assertThat(json(call("GET", "/api/x", "203.0.113.9")).path("decision_id").asText())
        .isNotEqualTo(body.path("decision_id").asText());
    assertThat(call("POST", "/api/x", "203.0.113.9").statusCode()).isEqualTo(403);
    assertThat(askedNext).hasValue(0);
    assertThat(call("POST", "/api/x", "198.51.100.1").statusCode()).isEqualTo(200);
    assertThat(askedNext).hasValue(1);
  }

  @Test
  void theRefusalHasThreeLanguages() throws IOException {
    ban(subject(Kind.IP, "203.0.113.9"), null);
    JsonNode en = json(call("GET", "/api/x", "203.0.113.9", "Accept-Language", "en"));
    JsonNode hant = json(call("GET", "/api/x", "203.0.113.9", "Accept-Language", "zh-TW"));
    JsonNode hans = json(call("GET", "/api/x", "203.0.113.9", "Accept-Language", "zh-CN"));
    assertThat(en.path("message").asText()).contains("blocked");
    assertThat(hant.path("message").asText()).contains("封鎖");
    assertThat(hans.path("message").asText()).contains("封禁");
    assertThat(en.has("banned_until")).isFalse();
  }

  @Test
  void routesOfOperatorsAndMachinesStayOpen() {
    ban(subject(Kind.NETWORK, "0.0.0.0/0"), null);
    assertThat(call("GET", "/health/live", "203.0.113.9").statusCode()).isEqualTo(200);
    assertThat(call("GET", "/api/admin/x", "203.0.113.9").statusCode()).isEqualTo(200);
    assertThat(call("POST", "/api/payments/webhook", "203.0.113.9").statusCode()).isEqualTo(200);
    assertThat(call("GET", "/api/x", "203.0.113.9").statusCode()).isEqualTo(403);
  }

  @Test
  void sessionsAndBrowsersAreIdentifiedByTheirCookies() {
    ban(BanSubject.session(new SessionId(SESSION)), null);
    assertThat(call("GET", "/api/x", "192.0.2.1").statusCode()).isEqualTo(200);
    assertThat(call("GET", "/api/x", "192.0.2.1", "X-Session-Id", SESSION).statusCode())
        .isEqualTo(403);
    assertThat(
            call("GET", "/api/x", "192.0.2.1", "Cookie", "fairgate_session=" + SESSION)
                .statusCode())
        .isEqualTo(403);
    HttpResponse<String> first = call("GET", "/device", "192.0.2.1");
    String cookie = first.headers().firstValue("set-cookie").orElseThrow().replaceFirst(";.*", "");
    assertThat(call("GET", "/api/x", "192.0.2.1", "Cookie", cookie).statusCode()).isEqualTo(200);
    ban(BanSubject.device(new fairgate.kernel.DeviceId(first.body()), fixture.keys), null);
    assertThat(call("GET", "/api/x", "192.0.2.1", "Cookie", cookie).statusCode()).isEqualTo(403);
    // Without the cookie, it is another browser.
    assertThat(call("GET", "/device", "192.0.2.1").statusCode()).isEqualTo(200);
  }
}
