package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Many people behind one address, on a running server: who is signed in, and who is on the
/// allow-list, gets in.
class SharedAddressIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "a long sentence nobody else says";
  private static final int IP = 4;

  private static TestEngines engines;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    server =
        TestFairgate.start(
            engines,
            engines.freshDatabase(),
            Map.of(
                "limits",
                "on",
                "limit.budget_ms",
                "5000",
                "limit.ip",
                IP + "/h window closed",
                "server.trusted_proxies",
                "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    server.close();
    engines.close();
  }

  private static int read(String address, String... headers) {
    return server
        .callUntilAccepted(
            "GET",
            "/api/products",
            "",
            Stream.concat(Stream.of(headers), Stream.of("x-forwarded-for", address))
                .toArray(String[]::new))
        .statusCode();
  }

  private static String[] signedIn(String name, String address) {
    String body = "{\"username\":\"%s\",\"password\":\"%s\"}".formatted(name, PASSWORD);
    for (String path : new String[] {"/api/v1/register", "/api/v1/login"}) {
      HttpResponse<String> reply =
          server.callUntilAccepted(
              "POST", path, body, "x-forwarded-for", address, "sec-fetch-site", "same-origin");
      assertThat(reply.statusCode()).as(reply.body()).isLessThan(300);
      if (path.endsWith("login")) {
        return new String[] {"authorization", "Bearer " + token(reply)};
      }
    }
    throw new AssertionError();
  }

  private static String token(HttpResponse<String> login) {
    try {
      return JSON.readTree(login.body()).path("token").asText();
    } catch (IOException e) {
      throw new AssertionError(login.body(), e);
    }
  }

  /// Guests use up the limit of an address.
  private static void useUp(String address) {
    for (int i = 0; i < IP; i++) {
      assertThat(read(address)).isEqualTo(200);
    }
    assertThat(read(address)).isEqualTo(429);
  }

  @Test
  void theSignedInAreNotRefusedForTheirNeighboursAndTheMadeUpAre() {
    String shared = "198.51.100.7";
    String[] ann = signedIn("ann", "203.0.113.1");
    String[] ben = signedIn("ben", "203.0.113.2");
    useUp(shared);
    for (int i = 0; i < IP; i++) {
      assertThat(read(shared, ann)).isEqualTo(200);
    }
    assertThat(read(shared, ann)).as("her own limit").isEqualTo(429);
    assertThat(read("192.0.2.77", ann)).as("at any address").isEqualTo(429);
    assertThat(read(shared, ben)).isEqualTo(200);
    String forged = ann[1].substring(0, ann[1].length() - 4) + "AAAA";
    assertThat(read(shared, "authorization", forged)).isEqualTo(429);
    assertThat(read(shared, "cookie", "fairgate_account=made-up")).isEqualTo(429);
    assertThat(read(shared)).isEqualTo(429);
  }

  @Test
  void anAddressOnTheAllowListIsNotLimitedUntilItIsTakenOff() throws IOException {
    String shared = "198.51.100.8";
    useUp(shared);
    String entry =
        server.admin(
            "POST",
            "/bans",
            "{\"effect\":\"allow\",\"kind\":\"ip\",\"value\":\"%s\",\"reason\":\"campus\"}"
                .formatted(shared));
    for (int i = 0; i < 5 * IP; i++) {
      assertThat(read(shared)).isEqualTo(200);
    }
    assertThat(read(shared, "cookie", "fairgate_account=made-up")).isEqualTo(200);
    long id = JSON.readTree(entry).findValue("id").asLong();
    server.admin("DELETE", "/bans/" + id, "");
    Eventually.await(() -> read(shared) == 429);
  }
}
