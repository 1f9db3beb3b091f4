package fairgate.app;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.FakeCrowdsec;
import fairgate.testkit.MmdbFile;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bans on two nodes behind a trusted proxy, by operators and CrowdSec.
class BansIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private static Path folder;
  private static FakeCrowdsec crowdsec;
  private static TestFairgate one;
  private static TestFairgate other;

  @BeforeAll
  static void start() {
    crowdsec = FakeCrowdsec.start();
    crowdsec.decide("Range", "198.18.0.0/15", "ban", "4h");
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile().asn("192.0.2.0/24", 64_500).write(asns);
    Path countries = folder.resolve("country.mmdb");
    new MmdbFile()
        .add("198.51.100.0/24", Map.of("country", Map.of("iso_code", "TW")))
        .write(countries);
    PostgresAddress database = TestEngines.shared().freshDatabase();
    Map<String, String> settings =
        Map.of(
            "server.trusted_proxies",
            "127.0.0.1",
            "bans.asn_database",
            asns.toString(),
            "networks.country_database",
            countries.toString(),
            "bans.crowdsec_url",
            crowdsec.url(),
            "bans.crowdsec_key",
            FakeCrowdsec.KEY);
    one = TestFairgate.start(TestEngines.shared(), database, settings);
    other = TestFairgate.start(TestEngines.shared(), database, settings);
  }

  @AfterAll
  static void stop() {
    other.close();
    one.close();
    crowdsec.close();
  }

  private static int status(TestFairgate node, String from) {
    return node.callUntilAccepted("GET", "/api/products", "", "X-Forwarded-For", from).statusCode();
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new AssertionError(body, e);
    }
  }

  private static JsonNode add(TestFairgate node, String body) {
    return json(node.admin("POST", "/bans", body));
  }

  private static HttpResponse<String> asked(String method, String path, String body) {
    return one.callUntilAccepted(
        method, "/api/admin" + path, body, "Authorization", "Bearer " + TestFairgate.OPERATOR);
  }

  @Test
  void aBanAppliesOnEveryNodeUntilItIsLifted() {
    JsonNode ban =
        add(
            one,
            """
            {"kind": "network", "value": "203.0.113.7/24", "reason": "scalpers",
             "duration_seconds": 3600}
            """);
    assertThat(ban.path("value").asText()).isEqualTo("203.0.113.0/24");
    assertThat(ban.path("actor").asText()).startsWith("operator");
    assertThat(ban.path("until").asLong() - ban.path("since").asLong()).isEqualTo(3_600_000);
    assertThat(status(one, "203.0.113.9")).isEqualTo(403);
    assertThat(
            one.callUntilAccepted(
                    "GET", "/p/7", "", "X-Forwarded-For", "203.0.113.9", "Accept", "text/html")
                .body())
        .as("a number that can be read out")
        .contains("<code>B-" + ban.path("id").asLong() + "</code>");
    eventually("the other node refuses too", () -> status(other, "203.0.113.9") == 403);
    assertThat(status(other, "203.0.114.9")).isEqualTo(200);
    JsonNode listed = json(one.admin("GET", "/bans?kind=network&value=203.0.113.0/24", ""));
    assertThat(listed.path("bans")).hasSize(1);
    other.admin("DELETE", "/bans/" + ban.path("id").asLong(), "");
    assertThat(other.metrics().body())
        .containsPattern("fairgate_reversals_total\\{decision=\"ban\"} [1-9]");
    assertThat(status(other, "203.0.113.9")).isEqualTo(200);
    eventually("the first node lets in again", () -> status(one, "203.0.113.9") == 200);
    assertThat(json(one.admin("GET", "/bans?kind=network", "")).path("bans")).isEmpty();
    JsonNode past = json(one.admin("GET", "/bans?kind=network&past=true", "")).path("bans");
    assertThat(past.get(0).path("lifted_by").asText()).startsWith("operator");
  }

  @Test
  void aBanByCountryAppliesOnEveryNode() {
    JsonNode ban = add(one, "{\"kind\": \"country\", \"value\": \"tw\", \"reason\": \"test\"}");
    assertThat(ban.path("value").asText()).isEqualTo("TW");
    assertThat(status(one, "198.51.100.9")).isEqualTo(403);
    eventually("the other node refuses too", () -> status(other, "198.51.100.9") == 403);
    assertThat(status(one, "198.51.101.9")).isEqualTo(200);
    one.admin("DELETE", "/bans/" + ban.path("id").asLong(), "");
    assertThat(status(one, "198.51.100.9")).isEqualTo(200);
  }

  @Test
  void theAllowListWins() {
    add(one, "{\"kind\": \"asn\", \"value\": \"AS64500\", \"reason\": \"a cloud\"}");
    assertThat(status(one, "192.0.2.1")).isEqualTo(403);
    add(
        one,
        """
        {"effect": "allow", "kind": "ip", "value": "192.0.2.9", "reason": "our own monitor"}
        """);
    assertThat(status(one, "192.0.2.9")).isEqualTo(200);
    eventually("everywhere", () -> status(other, "192.0.2.9") == 200);
    eventually("the ban as well", () -> status(other, "192.0.2.1") == 403);
  }

  @Test
  void aBanOfAnAllowedSubjectNamesTheEntryThatOverridesIt() {
    String subject = "\"kind\": \"ip\", \"value\": \"203.0.113.77\", \"reason\": \"test\"}";
    JsonNode allowed = add(other, "{\"effect\": \"allow\", " + subject);
    assertThat(allowed.has("overridden_by")).isFalse();
    JsonNode ban = add(one, "{" + subject);
    assertThat(ban.path("overridden_by").asLong()).isEqualTo(allowed.path("id").asLong());
    assertThat(status(other, "203.0.113.77")).isEqualTo(200);
    one.admin("DELETE", "/bans/" + allowed.path("id").asLong(), "");
    JsonNode again = add(one, "{" + subject);
    assertThat(again.path("id").asLong()).isEqualTo(ban.path("id").asLong());
    assertThat(again.has("overridden_by")).isFalse();
  }

  @Test
  void crowdsecIsFollowed() {
    eventually("its decision holds", () -> status(one, "198.18.3.4") == 403);
    assertThat(one.call("GET", "/health/ready", "").body()).contains("\"crowdsec\"");
    eventually(
        "it is counted",
        () -> one.metrics().body().contains("fairgate_bans{list=\"crowdsec\"} 1.0"));
  }

  @Test
  void networksThatAreTooWideAreRefusedInThreeLanguages() {
    for (String effect : new String[] {"ban", "allow"}) {
      for (String wide :
          new String[] {
            "0.0.0.0/0", "10.0.0.0/7", "::ffff:0:0/96", "::/0", "2000::/3", "fd00::/15"
          }) {
        for (String[] language :
            new String[][] {
              {"en", "value is too wide"}, {"zh-TW", "value 的範圍太大"}, {"zh-CN", "value 的范围太大"}
            }) {
          HttpResponse<String> refusal =
              one.callUntilAccepted(
                  "POST",
                  "/api/admin/bans",
                  network(effect, wide),
                  "Authorization",
                  "Bearer " + TestFairgate.OPERATOR,
                  "Accept-Language",
                  language[0]);
          assertThat(refusal.statusCode()).as(wide).isEqualTo(400);
          assertThat(json(refusal.body()).path("field").asText()).isEqualTo("value");
          assertThat(json(refusal.body()).path("message").asText())
              .startsWith(language[1])
              .contains("/8", "/16");
        }
      }
    }
    for (String widest : new String[] {"10.0.0.0/8", "fd00::/16"}) {
      JsonNode ban = add(one, network("ban", widest));
      assertThat(ban.path("value").asText()).isEqualTo(widest);
      one.admin("DELETE", "/bans/" + ban.path("id").asLong(), "");
    }
  }

  private static String network(String effect, String value) {
    return "{\"effect\":\"%s\",\"kind\":\"network\",\"value\":\"%s\",\"reason\":\"r\"}"
        .formatted(effect, value);
  }

  @Test
  void wrongInputIsExplained() {
    for (String body :
        new String[] {
          "{}",
          "{\"kind\":\"planet\",\"value\":\"x\",\"reason\":\"r\"}",
          "{\"kind\":\"ip\",\"value\":\"1.2.3\",\"reason\":\"r\"}",
          "{\"kind\":\"ip\",\"value\":\"1.2.3.0/24\",\"reason\":\"r\"}",
          "{\"kind\":\"network\",\"value\":\"1.2.3.4/33\",\"reason\":\"r\"}",
          "{\"kind\":\"asn\",\"value\":\"-1\",\"reason\":\"r\"}",
          "{\"kind\":\"session\",\"value\":\"x\",\"reason\":\"r\"}",
          "{\"kind\":\"device\",\"value\":\"x\",\"reason\":\"r\"}",
          "{\"kind\":\"ip\",\"value\":\"1.2.3.4\"}",
          "{\"kind\":\"ip\",\"value\":\"1.2.3.4\",\"reason\":\"\"}",
          "{\"kind\":\"ip\",\"value\":\"1.2.3.4\",\"reason\":\"r\",\"duration_seconds\":0}",
          "{\"kind\":\"ip\",\"value\":\"1.2.3.4\",\"reason\":\"r\",\"effect\":\"x\"}"
        }) {
      HttpResponse<String> answer = asked("POST", "/bans", body);
      assertThat(answer.statusCode()).as(body).isEqualTo(400);
      assertThat(json(answer.body()).path("message").asText()).as(body).isNotBlank();
    }
    assertThat(asked("DELETE", "/bans/x", "").statusCode()).isEqualTo(400);
    assertThat(asked("DELETE", "/bans/999999999", "").statusCode()).isEqualTo(404);
    assertThat(asked("GET", "/bans?kind=x", "").statusCode()).isEqualTo(400);
    assertThat(asked("GET", "/bans?limit=0", "").statusCode()).isEqualTo(400);
    assertThat(asked("GET", "/bans?before=x", "").statusCode()).isEqualTo(400);
    assertThat(one.call("GET", "/api/admin/bans", "").statusCode()).isEqualTo(401);
  }
}
