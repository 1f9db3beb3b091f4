package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A buyer who does what a decision tells is judged by it at once.
class FreshVerificationIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final String PHONE = "+886912000777";

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static FakeSmsGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @BeforeAll
  static void start() throws IOException {
    TestEngines.shared().flushRedis();
    gateway = FakeSmsGateway.start(0, SECRET, "AC1:token", Clock.systemUTC());
    Path bundle =
        Files.writeString(
            folder.resolve("bundle.json"),
            """
            {"format": 1, "schema": 1, "name": "test", "bands": {
              "low": {"action": "silent_check"}, "medium": {"from": 20, "action": "silent_check"},
              "high": {"from": 50, "action": "seat_behind"},
              "severe": {"from": 80, "action": "hold"},
              "critical": {"from": 100, "action": "refuse"}}, "rules": [
              {"code": "no_phone", "when": "!phone_verified", "points": 60, "reason": "account",
               "help": ["sign_in", "verify_phone"],
               "text": {"en": "a rule", "zh-Hant": "規則", "zh-Hans": "规则"}}]}
            """);
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "risk.mode",
                "enforce",
                "risk.bundle",
                bundle.toString(),
                "messages.sms",
                "webhook",
                "messages.webhook_url",
                "http://127.0.0.1:" + gateway.port() + "/send",
                "messages.webhook_secret",
                SECRET));
  }

  @AfterAll
  static void stop() {
    server.close();
    gateway.close();
  }

  private static JsonNode post(PlainBrowser browser, String path, String body) {
    HttpResponse<String> reply = browser.call("POST", path, body);
    assertThat(reply.statusCode()).as(path + " " + reply.body()).isBetween(200, 299);
    try {
      return JSON.readTree(reply.body());
    } catch (IOException e) {
      throw new AssertionError(reply.body(), e);
    }
  }

  private static JsonNode join(PlainBrowser browser, String product) {
    server.createProduct(product, 5, "{\"preset\": \"queue\"}");
    server.openSale(product);
    return post(
        browser,
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product));
  }

  @Test
  void aVerificationCountsInTheNextDecision() {
    PlainBrowser browser = new PlainBrowser(server);
    String credentials = "{\"username\":\"fresh-ming\",\"password\":\"correct horse 9\"}";
    var _ = post(browser, "/api/v1/register", credentials);
    var _ = post(browser, "/api/v1/login", credentials);
    JsonNode before = join(browser, "870001");
    assertThat(before.path("help").toString()).isEqualTo("[\"verify_phone\"]");
    var _ = post(browser, "/api/v1/identity/phone", "{\"phone\":\"" + PHONE + "\"}");
    String code =
        Eventually.get("an SMS", gateway::delivered, all -> !all.isEmpty())
            .getFirst()
            .text()
            .substring(0, 6);
    var _ =
        post(
            browser,
            "/api/v1/identity/phone/confirm",
            "{\"phone\":\"" + PHONE + "\",\"code\":\"" + code + "\"}");
    assertThat(join(browser, "870002").has("help")).isFalse();
  }
}
