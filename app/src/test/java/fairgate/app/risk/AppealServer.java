package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A server behind a trusted proxy, with the calls of visitors who appeal and of an operator.
final class AppealServer implements AutoCloseable {
  static final String TEXT = "I share this network with my whole school.";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  private final TestFairgate server;

  private AppealServer(TestFairgate server) {
    this.server = server;
  }

  static AppealServer start(PostgresAddress database, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("server.trusted_proxies", "127.0.0.1");
    return new AppealServer(TestFairgate.start(TestEngines.shared(), database, all));
  }

  /// A server with a sale of one place an address, and one registration an hour.
  static AppealServer withStrictLimits() {
    AppealServer started =
        start(
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits",
                "on",
                // A machine under load must not make Redis seem away.
                "limit.budget_ms",
                "5000",
                "limit.ip",
                "1000/s",
                "limit.page",
                "1000/s",
                "limit.register",
                "1/3600s"));
    started.server.createProduct("37", 50, "{\"preset\":\"queue\",\"places_per_ip\":1}");
    started.server.openSale("37");
    return started;
  }

  TestFairgate server() {
    return server;
  }

  static JsonNode json(HttpResponse<String> reply) {
    return json(reply.body());
  }

  static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new AssertionError(body, e);
    }
  }

  /// The cookies that a reply sets.
  static String cookies(HttpResponse<String> reply) {
    return reply.headers().allValues("set-cookie").stream()
        .map(cookie -> cookie.split(";", 2)[0])
        .collect(Collectors.joining("; "));
  }

  /// The address of the appeal in a refusal.
  static String appealOf(HttpResponse<String> refused) {
    JsonNode body = json(refused);
    String appeal = body.path("appeal_url").asText();
    assertThat(appeal).as(refused.body()).isEqualTo("/appeal/" + body.path("decision_id").asText());
    return appeal;
  }

  static String form(String text, String contact) {
    return "text="
        + URLEncoder.encode(text, StandardCharsets.UTF_8)
        + "&contact="
        + URLEncoder.encode(contact, StandardCharsets.UTF_8);
  }

  static String receiptOf(HttpResponse<String> filed) {
    assertThat(filed.statusCode()).as(filed.body()).isEqualTo(201);
    return filed.body().replaceAll("(?s).*<code id=\"receipt\">(\\w+)</code>.*", "$1");
  }

  HttpResponse<String> admin(String method, String path, String body) {
    return server.callUntilAccepted(
        method,
        "/api/admin" + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  JsonNode newest() {
    return json(admin("GET", "/appeals?limit=1", "")).path("appeals").path(0);
  }

  HttpResponse<String> decide(long id, String body) {
    return admin("POST", "/appeals/" + id, body);
  }

  /// Somebody at an address of their own.
  Visitor visitor() {
    return visitor("198.18." + ADDRESSES.incrementAndGet() + ".9");
  }

  Visitor visitor(String address) {
    return new Visitor(this, address);
  }

  @Override
  public void close() {
    server.close();
  }

  /// Somebody without a cookie.
  record Visitor(AppealServer appeals, String address) {
    HttpResponse<String> call(String method, String path, String body, String... headers) {
      return appeals.server.callUntilAccepted(
          method,
          path,
          body,
          Stream.concat(
                  Stream.of(headers),
                  Stream.of("X-Forwarded-For", address, "Sec-Fetch-Site", "same-origin"))
              .toArray(String[]::new));
    }

    HttpResponse<String> post(String path, String form, String language) {
      return call("POST", path, form, "Accept-Language", language);
    }

    /// Bans the address. Returns the address of the appeal.
    String bannedAppeal() {
      ban();
      HttpResponse<String> refused = call("GET", "/api/products", "");
      assertThat(refused.statusCode()).isEqualTo(403);
      return appealOf(refused);
    }

    void ban() {
      String _ =
          appeals.server.admin(
              "POST",
              "/bans",
              "{\"kind\":\"ip\",\"value\":\"%s\",\"reason\":\"secret\"}".formatted(address));
    }

    /// A refusal by the limit of registrations.
    HttpResponse<String> limited() {
      var _ = post("/api/v1/register", "{}", "en");
      HttpResponse<String> refused = post("/api/v1/register", "{}", "en");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(429);
      return refused;
    }

    HttpResponse<String> file(String appeal) {
      return post(appeal, form(TEXT, "ann@example.org"), "en");
    }

    /// Files an appeal. Returns its id.
    long filed(String appeal) {
      HttpResponse<String> answer = file(appeal);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      return appeals.newest().path("id").asLong();
    }
  }
}
