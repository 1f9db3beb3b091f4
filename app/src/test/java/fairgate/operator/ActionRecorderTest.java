package fairgate.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.account.AccountConfig;
import fairgate.account.AccountFeature;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.Role;
import fairgate.kernel.ServiceUnavailable;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.AccessGuard;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.ledger.LedgerFixture;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Records of operators' actions over HTTP, on a real PostgreSQL.
class ActionRecorderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final GateFixture fixture = new GateFixture();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicInteger done = new AtomicInteger();
  private final AuditLog log =
      AuditLog.open(
          AuditLog.Config.defaults(),
          new AuditLog.Parts(
              books.database(), fixture.keys, Clock.systemUTC(), fixture.ids, new Metrics(), "n1"));
  private final RedisClient redis =
      RedisClient.connect(books.vertx(), RedisSettings.of(TestEngines.shared().redisUri())).await();
  private final AccountFeature accounts =
      AccountFeature.wire(
          AccountConfig.defaults(),
          new AccountFeature.Dependencies(
              redis,
              books.database(),
              fixture.keys,
              fixture.ids,
              Clock.systemUTC(),
              new Metrics()));
  private final AccessGuard guard =
      AccessFeature.wire(
              new AccessFeature.Config(
                  "the token", Role.OWNER, Duration.ofHours(1), Duration.ofHours(1), Map.of()),
              new AccessFeature.Dependencies(
                  books.database(),
                  accounts.passwords(),
                  Optional.empty(),
                  fixture.keys,
                  fixture.ids,
                  Clock.systemUTC(),
                  log))
          .guard();
  private final int port = serve();

  private int serve() {
    AdminGuard admin = new AdminGuard(log);
    return HttpServer.start(
            books.vertx(),
            HttpConfig.defaults().withAddress("127.0.0.1", 0),
            Stream.of(
                    Route.blockingPost(
                        "/api/admin/thing",
                        admin.guard(
                            AdminInput.body("quantity", "api_token", "Password", "token"),
                            _ -> {
                              int _ = done.incrementAndGet();
                              return Reply.text(201, "done");
                            })),
                    Route.blockingGet(
                        "/api/admin/thing", admin.guard(_ -> Reply.text(200, "seen"))),
                    Route.blockingPost(
                        "/api/admin/broken",
                        admin.guard(
                            _ -> {
                              throw new ServiceUnavailable("away", Duration.ofSeconds(1));
                            })))
                .map(guard::restrict)
                .toList(),
            new HttpDependencies(fixture.ids, fixture.keys, new Metrics(), null, log))
        .port();
  }

  @AfterEach
  void close() {
    client.close();
    fixture.close();
    log.close();
    accounts.close();
    redis.close();
    books.close();
  }

  private int call(String method, String path, String body, String token) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Bearer " + token)
            .timeout(Duration.ofMinutes(1))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private List<JsonNode> events(String kind) {
    return books.query("SELECT content FROM audit_log WHERE kind = $1 ORDER BY seq", kind).stream()
        .map(
            row -> {
              try {
                return JSON.readTree(row.getString(0));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }

  @Test
  void anActionIsRecordedBeforeItsResponse() {
    String body = "{\"quantity\": 5, \"api_token\": \"s\\\"ecret\", \"Password\":\"x\"}";
    assertThat(call("POST", "/api/admin/thing", body, "the token")).isEqualTo(201);
    JsonNode facts = events("admin").getFirst();
    assertThat(facts.path("what").asText()).isEqualTo("POST /api/admin/thing");
    assertThat(facts.path("body").asText())
        .isEqualTo("{\"quantity\": 5, \"api_token\": \"[redacted]\", \"Password\":\"[redacted]\"}");
    assertThat(facts.path("ip").asText()).hasSize(22);
    LedgerFixture.eventually("what came of it", () -> events("admin").size() == 2);
    JsonNode result = events("admin").get(1);
    assertThat(result.path("result").asText()).isEqualTo("201");
    assertThat(result.path("request_id")).isEqualTo(facts.path("request_id"));
  }

  @Test
  void theReasonIsAFactOfItsOwnAlsoBehindALongBody() {
    String body =
        "{\"quantity\": 5, \"Password\": \"x\", \"token\": \"t\", \"note\": \"%s\", \"reason\": \"sent \\\"twice\\\"\"}"
            .formatted("n".repeat(3_000));
    int _ = call("POST", "/api/admin/thing", body, "the token");
    assertThat(events("admin").getFirst().path("reason").asText()).isEqualTo("sent \"twice\"");
    assertThat(events("admin").getFirst().path("body").asText()).endsWith("...");
    int _ = call("POST", "/api/admin/thing", "{\"reason\": 5", "the token");
    LedgerFixture.eventually("the broken one", () -> events("admin").size() == 4);
    assertThat(events("admin").get(2).has("reason")).isFalse();
  }

  @Test
  void aLongSecretIsRedactedWithoutFailure() {
    String body = "{\"token\":\"" + "a".repeat(15_000) + "\"}";
    assertThat(call("POST", "/api/admin/thing", body, "the token")).isEqualTo(201);
    assertThat(events("admin").getFirst().path("body").asText())
        .isEqualTo("{\"token\":\"[redacted]\"");
  }

  @Test
  void aFailedActionIsRecorded() {
    assertThat(call("POST", "/api/admin/broken", "{}", "the token")).isEqualTo(503);
    LedgerFixture.eventually("what came of it", () -> events("admin").size() == 2);
    assertThat(events("admin").get(1).path("result").asText()).isEqualTo("ServiceUnavailable");
  }

  @Test
  void aReadIsNotRecorded() {
    assertThat(call("GET", "/api/admin/thing", "", "the token")).isEqualTo(200);
    assertThat(events("admin")).isEmpty();
  }

  @Test
  void aRequestWithoutTheOperatorTokenIsRecordedAsRefused() {
    assertThat(call("POST", "/api/admin/thing", "{}", "wrong")).isEqualTo(401);
    LedgerFixture.eventually("the refusal", () -> events("refusal").size() == 1);
    JsonNode refusal = events("refusal").getFirst();
    assertThat(refusal.path("what").asText()).isEqualTo("UNAUTHORIZED");
    assertThat(refusal.path("route").asText()).isEqualTo("POST /api/admin/thing");
    assertThat(events("admin")).isEmpty();
    assertThat(done).hasValue(0);
  }

  @Test
  void anActionThatCannotBeRecordedIsNotExecuted() {
    int _ = books.database().tx(db -> db.update("ALTER TABLE audit_log RENAME TO away"));
    assertThat(call("POST", "/api/admin/thing", "{}", "the token")).isEqualTo(503);
    assertThat(done).hasValue(0);
    int _ = books.database().tx(db -> db.update("ALTER TABLE away RENAME TO audit_log"));
    assertThat(call("POST", "/api/admin/thing", "{}", "the token")).isEqualTo(201);
  }
}
