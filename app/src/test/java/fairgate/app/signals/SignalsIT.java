package fairgate.app.signals;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.Features;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.MmdbFile;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Signals reach the decisions of risk, on a running server behind a trusted proxy, with the
/// built-in bundle.
class SignalsIT {
  private static final String TOKEN = "XXXX.DUMMY.TOKEN.XXXX";
  private static final String CHROME =
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
          + " Chrome/142.0.0.0 Safari/537.36";
  private static final String[] BROWSER = {
    "User-Agent", CHROME,
    "Accept-Language", "zh-TW",
    "Sec-Fetch-Site", "same-origin",
    "Sec-Fetch-Mode", "cors",
    "X-Forwarded-Proto", "https",
    "X-JA4", "t13d1516h2_8daaf6152771_02713d6af862",
    "X-HTTP-Version", "HTTP/2.0"
  };

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static PostgresAddress database;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile()
        .add("203.0.113.0/24", Map.of("asn", "AS64500", "type", "hosting"))
        .add("198.51.100.0/24", Map.of("asn", "AS64501", "type", "isp"))
        .write(asns);
    Path countries = folder.resolve("country.mmdb");
    new MmdbFile()
        .add("203.0.113.0/24", Map.of("country", Map.of("iso_code", "DE")))
        .add("198.51.100.0/24", Map.of("country", Map.of("iso_code", "TW")))
        .write(countries);
    database = TestEngines.shared().freshDatabase();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            database,
            Map.of(
                "risk.mode", "enforce",
                "server.trusted_proxies", "127.0.0.1",
                "signals.ja4_header", "X-JA4",
                "signals.http_version_header", "X-HTTP-Version",
                "signals.ja4_clients", "go:t13d1311h2_",
                "bans.asn_database", asns.toString(),
                "networks.country_database", countries.toString()));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> join(String product, String address, String... headers) {
    return join(product, TOKEN, address, headers);
  }

  private static HttpResponse<String> join(
      String product, String token, String address, String[] headers) {
    server.createProduct(product, 5, "{\"preset\": \"queue\"}");
    server.openSale(product);
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("X-Forwarded-For", address));
    return server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"%s\"}".formatted(product, token),
        all.toArray(String[]::new));
  }

  /// The features of the recorded decision of a sale.
  private static Features features(String product) {
    byte[] encoded =
        Eventually.get("the decision is recorded", () -> read(product), bytes -> bytes != null);
    return Features.decode(encoded);
  }

  private static byte @Nullable [] read(String product) {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        PreparedStatement query =
            connection.prepareStatement("SELECT features FROM risk_decisions WHERE sale = ?")) {
      query.setString(1, product);
      try (ResultSet rows = query.executeQuery()) {
        return rows.next() ? rows.getBytes(1) : null;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Object value(Features features, String name) {
    Feature feature = features.schema().feature(name);
    return features.value(feature);
  }

  @Test
  void theNumbersOfThePageAreRecordedAndARuleInObservationIsTold() {
    String product = "780044";
    server.createProduct(product, 5, "{\"preset\": \"queue\"}");
    server.openSale(product);
    String body =
        """
        {"product_id": "%s", "turnstile_token": "%s", "behavior": {"page_ms": 4100, "moves": 60,
         "path": 900, "entropy": 12, "straight": %s, "pauses": 1, "focus": 0, "keys": 0,
         "key_ms": 0, "key_spread": 0, "presses": 2, "press_ms": 700, "press_spread": 0}}
        """;
    HttpResponse<String> reply =
        server.callUntilAccepted(
            "POST", "/api/queue/join", body.formatted(product, TOKEN, "100"), addressed("9"));
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    Features features = features(product);
    assertThat(value(features, "page_ms")).isEqualTo(4_100L);
    assertThat(value(features, "pointer_straightness")).isEqualTo(100L);
    assertThat(server.admin("GET", "/decisions?product_id=" + product, ""))
        .contains("\"shadow\":[\"straight_movement\"]");
    HttpResponse<String> odd =
        server.callUntilAccepted(
            "POST", "/api/queue/join", body.formatted(product, TOKEN, "1e400"), addressed("10"));
    assertThat(odd.statusCode()).as("numbers out of range are ignored").isEqualTo(200);
  }

  private static String[] addressed(String last) {
    List<String> all = new ArrayList<>(List.of(BROWSER));
    all.addAll(List.of("X-Forwarded-For", "192.0.2." + last));
    return all.toArray(String[]::new);
  }

  @Test
  void anHonestBrowserGetsAPlaceInOrder() {
    HttpResponse<String> reply = join("780001", "198.51.100.7", BROWSER);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    assertThat(reply.body()).doesNotContain("seat");
    Features features = features("780001");
    assertThat(value(features, "user_agent_kind")).isEqualTo("browser");
    assertThat(value(features, "country")).isEqualTo("TW");
    assertThat(value(features, "asn_class")).isEqualTo("residential");
    assertThat(value(features, "http_version")).isEqualTo("2");
    assertThat(value(features, "ja4_present")).isEqualTo(true);
    for (String name :
        List.of(
            "ja4_mismatch",
            "http_version_mismatch",
            "accept_language_missing",
            "sec_fetch_missing",
            "network_hosting",
            "device_key_invalid")) {
      assertThat(value(features, name)).as(name).isEqualTo(false);
    }
    assertThat(value(features, "joins_of_network")).isEqualTo(0L);
  }

  @Test
  void onlyJoinsWithAnAcceptedChallengeCountForTheNeighbours() {
    String shared = "192.0.2.7";
    assertThat(join("780004", "wrong", shared, BROWSER).statusCode()).isEqualTo(403);
    assertThat(join("780005", shared, BROWSER).statusCode()).isEqualTo(200);
    assertThat(value(features("780005"), "devices_of_address")).isEqualTo(0L);
    assertThat(join("780006", shared, BROWSER).statusCode()).isEqualTo(200);
    assertThat(value(features("780006"), "devices_of_address")).isEqualTo(1L);
  }

  /// A program in a data centre that claims to be a browser.
  private static HttpResponse<String> program(String product, String... more) {
    String[] usual = {
      "User-Agent", CHROME,
      "X-Forwarded-Proto", "https",
      "X-JA4", "t13d1311h2_f57a46bbacb6_e7c285222651"
    };
    return join(
        product,
        "203.0.113.7",
        Stream.concat(Stream.of(usual), Stream.of(more)).toArray(String[]::new));
  }

  @Test
  void aProgramInADataCentreThatClaimsToBeABrowserSitsBehind() {
    HttpResponse<String> reply = program("780002");
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    assertThat(reply.body()).contains("\"seat\":\"behind\"", "decision_id", "reason");
    Features features = features("780002");
    for (String name :
        List.of(
            "ja4_mismatch", "accept_language_missing", "sec_fetch_missing", "network_hosting")) {
      assertThat(value(features, name)).as(name).isEqualTo(true);
    }
    assertThat(value(features, "country")).isEqualTo("DE");
  }

  @Test
  void theSameProgramWithAForgedProofIsRefusedAndMayAppeal() {
    HttpResponse<String> reply = program("780003", "DPoP", "forged");
    assertThat(reply.statusCode()).isEqualTo(403);
    assertThat(reply.body()).contains("RISK_REFUSED", "\"reason\":\"device\"", "/appeal/");
    assertThat(value(features("780003"), "device_key_invalid")).isEqualTo(true);
  }
}
