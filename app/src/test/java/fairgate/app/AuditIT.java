package fairgate.app;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The audit log of a sale on the whole server, its search by operators, and the command that
/// verifies it.
class AuditIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String AGENT = "=Mozilla/5.0 (a buyer)";
  private static final String BUYER = "203.0.113.9";

  @TempDir private static Path folder;
  private static PostgresAddress database;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    database = TestEngines.shared().freshDatabase();
    server =
        TestFairgate.start(
            TestEngines.shared(), database, Map.of("server.trusted_proxies", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new AssertionError(body, e);
    }
  }

  private static JsonNode asBuyer(String method, String path, String body, String session) {
    HttpResponse<String> answer =
        session.isEmpty()
            ? server.callUntilAccepted(
                method, path, body, "User-Agent", AGENT, "X-Forwarded-For", BUYER)
            : server.callUntilAccepted(
                method,
                path,
                body,
                "User-Agent",
                AGENT,
                "X-Forwarded-For",
                BUYER,
                "X-Session-Id",
                session);
    return json(answer.body());
  }

  private static JsonNode search(String query) {
    return json(server.admin("GET", "/audit?limit=500&" + query, "")).path("events");
  }

  private static List<String> kinds(JsonNode events) {
    return events.findValuesAsText("kind").stream().distinct().collect(Collectors.toList());
  }

  /// Joins, waits for the turn, gets a token and buys; returns the session.
  private static String buy(String product) {
    server.createProduct(product, 5, "{\"preset\": \"flash\"}");
    server.openSale(product);
    String session =
        asBuyer(
                "POST",
                "/api/queue/join",
                "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                    .formatted(product),
                "")
            .path("session_id")
            .asText();
    eventually(
        "the turn", () -> asBuyer("GET", "/api/queue/status", "", session).has("purchase_token"));
    String token = asBuyer("GET", "/api/queue/status", "", session).path("purchase_token").asText();
    JsonNode order =
        asBuyer(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"%s\",\"quantity\":1,\"purchase_token\":\"%s\"}"
                .formatted(product, token),
            session);
    assertThat(order.path("order_id").asText()).as(order.toString()).isNotEmpty();
    return session;
  }

  @Test
  void aSaleIsRecordedFromTheFirstStepToTheLast() {
    String session = buy("61");
    JsonNode refused =
        asBuyer("POST", "/api/purchase", "{\"product_id\":\"61\",\"quantity\":1}", session);
    assertThat(refused.path("error").asText()).isEqualTo("ALREADY_PURCHASED");
    List<String> expected = List.of("join", "turn", "token", "purchase", "refusal");
    JsonNode all =
        Eventually.get(
            "an event of each kind",
            () -> search("session=" + session),
            events -> kinds(events).containsAll(expected));
    for (String kind : List.of("join", "token", "purchase", "refusal")) {
      JsonNode event = search("kind=" + kind + "&session=" + session).get(0).path("event");
      assertThat(event.path("ua").asText()).as(kind).isEqualTo(AGENT);
      assertThat(event.path("ip").asText()).as(kind).hasSize(22);
      assertThat(event.path("at").asLong()).as(kind).isPositive();
    }
    assertThat(search("kind=join&ip=" + BUYER + "&product=61&session=" + session)).hasSize(1);
    assertThat(search("kind=join&ip=203.0.113.10")).isEmpty();
    JsonNode admissions =
        Eventually.get(
            "the admission",
            () -> search("kind=admission&product=61"),
            events -> !events.isEmpty());
    assertThat(admissions.get(0).path("event").path("people").asInt()).isEqualTo(1);
    JsonNode byRequest =
        Eventually.get(
            "the refusal",
            () -> search("request_id=" + refused.path("request_id").asText()),
            events -> !events.isEmpty());
    assertThat(byRequest.get(0).path("event").path("what").asText()).isEqualTo("ALREADY_PURCHASED");
    assertThat(all.toString()).doesNotContain(BUYER).doesNotContain(session);
  }

  @Test
  void operatorsActionsAndReadsOfTheLogAreRecorded() {
    server.createProduct("62", 1, "{\"preset\": \"queue\"}");
    JsonNode acts = search("kind=admin&what=POST%20/api/admin/products");
    assertThat(acts.get(0).path("event").path("body").asText() + acts).contains("Ticket");
    assertThat(search("kind=admin&what=GET%20/api/admin/audit")).isNotEmpty();
  }

  @Test
  void theExportHasNoFormulasForASpreadsheet() {
    buy("63");
    eventually("the purchase", () -> !search("kind=purchase&product=63").isEmpty());
    HttpResponse<String> csv =
        server.callUntilAccepted(
            "GET",
            "/api/admin/audit.csv?product=63&kind=purchase",
            "",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR);
    assertThat(csv.statusCode()).isEqualTo(200);
    assertThat(csv.headers().firstValue("content-type").orElse("")).startsWith("text/csv");
    List<String> lines = csv.body().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).startsWith("day,seq,at,kind,what,node,ip,net,device");
    assertThat(lines.get(1)).contains(",'" + AGENT + ",").contains(",63,");
    HttpResponse<String> first =
        server.callUntilAccepted(
            "GET",
            "/api/admin/audit.csv?limit=1",
            "",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR);
    assertThat(first.headers().firstValue("x-before")).isPresent();
  }

  @Test
  void invalidQueriesAreExplained() {
    for (String query :
        List.of(
            "kind=x",
            "from=x",
            "limit=501",
            "before=x",
            "before=2026-13-01.5",
            "ip=1.2.3",
            "what=")) {
      HttpResponse<String> answer =
          server.callUntilAccepted(
              "GET",
              "/api/admin/audit?" + query,
              "",
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(answer.statusCode()).as(query).isEqualTo(400);
    }
    assertThat(server.call("GET", "/api/admin/audit", "").statusCode()).isEqualTo(401);
    assertThat(server.call("GET", "/api/admin/audit.csv", "").statusCode()).isEqualTo(401);
  }

  @Test
  void theCommandVerifiesTheLogAndFindsChanges() throws Exception {
    server.createProduct("64", 1, "{\"preset\": \"queue\"}");
    Path config = folder.resolve("fairgate.yaml");
    Files.writeString(
        config,
        """
        database:
          url: postgresql://%s:%s@%s:%d/%s
        master_secret: "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        """
            .formatted(
                database.user(),
                database.password(),
                database.host(),
                database.port(),
                database.database()));
    StringWriter out = new StringWriter();
    assertThat(verify(config, out)).as(out.toString()).isZero();
    assertThat(out.toString()).contains("intact").containsPattern("head [0-9a-f]{64}");
    tamper("content = replace(content, 'Ticket', 'Wicket')");
    StringWriter broken = new StringWriter();
    assertThat(verify(config, broken)).isEqualTo(1);
    assertThat(broken.toString()).contains("BROKEN").contains("was changed");
    tamper("content = replace(content, 'Wicket', 'Ticket')");
    assertThat(verify(config, new StringWriter())).isZero();
  }

  private static int verify(Path config, StringWriter out) {
    CommandLine command = Main.commandLine();
    PrintWriter writer = new PrintWriter(out);
    return command
        .setOut(writer)
        .setErr(writer)
        .execute("audit", "verify", "--config", Objects.requireNonNull(config).toString());
  }

  private static void tamper(String change) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER TABLE audit_log DISABLE TRIGGER USER");
      statement.execute("UPDATE audit_log SET " + change + " WHERE kind = 'admin'");
      statement.execute("ALTER TABLE audit_log ENABLE TRIGGER USER");
    }
  }
}
