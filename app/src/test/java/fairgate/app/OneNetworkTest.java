package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What one network gets in a sale with default limits, over a socket on the whole server. Nobody
/// sends a cookie, so every join is a new browser.
class OneNetworkTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final AtomicInteger PRODUCTS = new AtomicInteger(890_000);
  private static final String JOINED = "200";
  private static final String NETWORK_LIMIT = "NETWORK_LIMIT_REACHED";

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(PRODUCTS.incrementAndGet());

  @BeforeAll
  static void start() {
    server = start(Map.of("server.trusted_proxies", "127.0.0.1"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /// Rate limits are high, so that the limits of the sale decide.
  private static TestFairgate start(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("limits", "on");
    settings.put("limit.budget_ms", "5000");
    for (String rate : List.of("ip", "network", "purchase", "admin")) {
      settings.put("limit." + rate, "100000/s open");
    }
    settings.put("limit.join", "off");
    settings.put("limit.join_new", "off");
    return TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings);
  }

  @Test
  void oneAddressTakesFivePlacesAndFourUnits() {
    sale("flash", 100);
    List<String> places = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      HttpResponse<String> answer = join(server, "203.0.113.9");
      if (answer.statusCode() == 200) {
        places.add(json(answer).path("session_id").asText());
      } else {
        assertThat(word(answer)).isEqualTo(NETWORK_LIMIT);
      }
    }
    assertThat(places).hasSize(5);
    assertThat(word(join(server, "203.0.113.10"))).isEqualTo(JOINED);
    server.openSale(product);
    assertThat(places.stream().map(place -> buy(place, "203.0.113.9")))
        .containsExactlyInAnyOrder(JOINED, JOINED, NETWORK_LIMIT, NETWORK_LIMIT, NETWORK_LIMIT);
    // Its units are used up, so nobody else waits there for nothing.
    assertThat(word(join(server, "203.0.113.9"))).isEqualTo(NETWORK_LIMIT);
  }

  @Test
  void oneSiteOfIpv6TakesTwentyFivePlaces() {
    sale("flash", 1_000);
    int joined = 0;
    for (int i = 0; i < 60; i++) {
      String address = "2001:db8:77:%04x::1".formatted((i % 30) << 8 | i / 30);
      joined += word(join(server, address)).equals(JOINED) ? 1 : 0;
    }
    assertThat(joined).isEqualTo(25);
  }

  @Test
  void oneNetworkOfIpv4TakesTwentyPlaces() {
    sale("queue", 100);
    int joined = 0;
    for (int i = 1; i <= 40; i++) {
      joined += word(join(server, "203.0.114." + i)).equals(JOINED) ? 1 : 0;
    }
    assertThat(joined).isEqualTo(20);
  }

  @Test
  void otherNotationsOfAnAddressAreTheSameAddress() {
    sale("flash", 100);
    List<String> notations =
        List.of(
            "203.0.115.5",
            "::ffff:203.0.115.5",
            "[::ffff:cb00:7305]:4711",
            "203.0.115.5:80",
            "0:0:0:0:0:FFFF:CB00:7305");
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(word(join(server, notations.get(i % notations.size()))));
    }
    assertThat(answers.stream().filter(JOINED::equals)).hasSize(5);
    assertThat(answers.subList(5, 10)).containsOnly(NETWORK_LIMIT);
  }

  @Test
  void anAddressThatTheCallerWritesIntoTheHeaderCountsNowhere() {
    sale("flash", 100);
    List<String> answers = new ArrayList<>();
    for (int i = 1; i <= 10; i++) {
      // The proxy appends the address that it sees.
      answers.add(word(join(server, "192.0.2." + i + ", 203.0.116.1")));
    }
    assertThat(answers.stream().filter(JOINED::equals)).hasSize(5);

    try (TestFairgate open = start(Map.of())) {
      open.createProduct(product, 100, "{\"preset\":\"flash\"}");
      answers.clear();
      for (int i = 1; i <= 10; i++) {
        answers.add(word(join(open, "192.0.2." + i)));
      }
      assertThat(answers.stream().filter(JOINED::equals)).as("without a proxy").hasSize(5);
    }
  }

  @Test
  void threeHundredPeopleOfAListedNetworkJoinAndBuy() {
    sale("flash", 400);
    server.admin(
        "POST",
        "/bans",
        "{\"effect\":\"allow\",\"kind\":\"network\",\"value\":\"198.51.100.0/24\",\"reason\":\"campus\"}");
    List<String> places = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      HttpResponse<String> answer = join(server, "198.51.100.7");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      places.add(json(answer).path("session_id").asText());
    }
    server.openSale(product);
    assertThat(places.stream().map(place -> buy(place, "198.51.100.7"))).containsOnly(JOINED);
  }

  /// Nobody is passed over, however long the others take to join and buy.
  private void sale(String preset, int units) {
    server.createProduct(
        product,
        units,
        """
        {"preset": "%s", "show_up_seconds": null, "presence_timeout_seconds": null}
        """
            .formatted(preset));
  }

  private HttpResponse<String> join(TestFairgate at, String forwarded) {
    return at.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product),
        "X-Forwarded-For",
        forwarded);
  }

  /// Buys as many units as an order may have, or one, when the turn has come.
  private String buy(String place, String address) {
    String token =
        Objects.requireNonNull(
                Eventually.get(
                    "the turn",
                    () -> json(call("GET", "/api/queue/status", "", place, address)),
                    status -> status.has("purchase_token")))
            .path("purchase_token")
            .asText();
    return word(
        call(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"%s\",\"quantity\":%d,\"purchase_token\":\"%s\"}"
                .formatted(product, address.startsWith("198") ? 1 : 2, token),
            place,
            address));
  }

  private static HttpResponse<String> call(
      String method, String path, String body, String place, String address) {
    return server.callUntilAccepted(
        method,
        path,
        body,
        "X-Session-Id",
        place,
        "Idempotency-Key",
        place,
        "X-Forwarded-For",
        address);
  }

  /// The error's code, or the status of a success.
  private static String word(HttpResponse<String> answer) {
    return answer.statusCode() == 200 ? JOINED : json(answer).path("error").asText();
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }
}
