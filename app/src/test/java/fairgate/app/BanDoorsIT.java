package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.MmdbFile;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bans of every kind, on every route for joining or buying: API and pages.
class BanDoorsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "a long sentence nobody else says";

  @TempDir private static Path folder;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile().asn("192.0.2.0/24", 64_500).write(asns);
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1", "bans.asn_database", asns.toString()));
    server.createProduct(
        "7",
        50,
        "{\"preset\":\"queue\",\"payment\":\"none\",\"active_capacity\":40,\"ready_slots\":40}");
    server.openSale("7");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private static HttpResponse<String> post(String path, String body, String... headers) {
    return server.callUntilAccepted(
        "POST",
        path,
        body,
        Stream.concat(Stream.of(headers), Stream.of("sec-fetch-site", "same-origin"))
            .toArray(String[]::new));
  }

  private static HttpResponse<String> join(String... headers) {
    return post(
        "/api/queue/join",
        "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
        headers);
  }

  private static HttpResponse<String> buy(String... headers) {
    return post("/api/purchase", "{\"product_id\":\"7\",\"quantity\":1}", headers);
  }

  private static String place(String... headers) {
    HttpResponse<String> joined = join(headers);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return json(joined).path("session_id").asText();
  }

  private static void awaitTurn(String session) {
    String _ =
        Eventually.get(
            "the buyer's turn",
            () -> server.call("GET", "/api/queue/status", "", "X-Session-Id", session).body(),
            status -> status.contains("ready_to_purchase"));
  }

  private static void ban(String kind, String value) {
    server.admin(
        "POST",
        "/bans",
        "{\"kind\":\"%s\",\"value\":\"%s\",\"reason\":\"secret\",\"duration_seconds\":3600}"
            .formatted(kind, value));
  }

  /// All routes refuse the caller with the ban.
  private static void refusedEverywhere(String... headers) {
    for (HttpResponse<String> refused : List.of(join(headers), buy(headers))) {
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
      assertThat(json(refused).path("error").asText()).isEqualTo("CLIENT_BANNED");
      assertThat(json(refused).path("banned_until").asLong()).isPositive();
      assertThat(json(refused).path("decision_id").asText()).hasSizeGreaterThan(40);
    }
    String[] browser =
        Stream.concat(Stream.of(headers), Stream.of("Accept", "text/html", "Accept-Language", "en"))
            .toArray(String[]::new);
    for (HttpResponse<String> refused :
        List.of(
            post("/p/7/join", "", browser),
            post("/p/7/buy", "quantity=1", browser),
            server.callUntilAccepted("GET", "/p/7", "", browser))) {
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
      assertThat(refused.body()).contains("blocked").doesNotContain("secret");
      assertThat(refused.body()).containsPattern("[A-Za-z0-9_-]{22}");
    }
    assertThat(server.callUntilAccepted("GET", "/api/queue/status", "", headers).statusCode())
        .isEqualTo(403);
  }

  private static String account(String name) {
    String body = "{\"username\":\"" + name + "\",\"password\":\"" + PASSWORD + "\"}";
    var _ = post("/api/v1/register", body);
    return json(post("/api/v1/login", body)).path("token").asText();
  }

  private static String accountId(String token) {
    return json(server.callUntilAccepted(
            "GET", "/api/v1/me", "", "Authorization", "Bearer " + token))
        .path("account_id")
        .asText();
  }

  @Test
  void aBannedAccountNeitherJoinsNorBuys() {
    String token = account("scalper");
    String id = accountId(token);
    String[] asBearer = {"Authorization", "Bearer " + token};
    String[] asCookie = {"cookie", "fairgate_account=" + token};
    String session = place(asBearer);
    awaitTurn(session);
    ban("account", id);
    refusedEverywhere(asBearer);
    refusedEverywhere(asCookie);
    HttpResponse<String> signedOut = buy("X-Session-Id", session);
    assertThat(signedOut.statusCode()).as("its place without its cookie").isEqualTo(409);
    assertThat(json(signedOut).path("error").asText()).isEqualTo("NOT_IN_QUEUE");
    assertThat(join().statusCode()).as("somebody else").isEqualTo(200);
    assertThat(post("/api/v1/logout", "", asBearer).statusCode()).isEqualTo(200);
  }

  @Test
  void aBannedSessionBrowserOrNetworkNeitherJoinsNorBuys() {
    HttpResponse<String> joined = join();
    String session = json(joined).path("session_id").asText();
    String device =
        joined.headers().allValues("set-cookie").stream()
            .filter(line -> line.startsWith("fairgate_device="))
            .findFirst()
            .orElseThrow()
            .replaceFirst(";.*", "");
    ban("session", session);
    refusedEverywhere("X-Session-Id", session);
    refusedEverywhere("cookie", "fairgate_session=" + session);
    assertThat(join("cookie", device).statusCode()).isNotEqualTo(403);
    ban("ip", "203.0.113.9");
    refusedEverywhere("X-Forwarded-For", "203.0.113.9");
    ban("network", "2001:db8:7:100::/56");
    refusedEverywhere("X-Forwarded-For", "2001:db8:7:1ff::9");
    assertThat(join("X-Forwarded-For", "2001:db8:7:200::9").statusCode()).isEqualTo(200);
    ban("asn", "AS64500");
    refusedEverywhere("X-Forwarded-For", "192.0.2.77");
  }
}
