package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.TestEngines;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What the audit log knows of claims: given, given again, refused and why.
class ClaimAuditTest {
  private static RedeemTestServer shop;

  @BeforeAll
  static void open() {
    TestEngines.shared().flushRedis();
    shop =
        RedeemTestServer.open(
            Map.of(
                "limits", "on",
                "redeem.uniform_errors", "on",
                "redeem.claims_per_minute", "0",
                "redeem.misses_per_hour", "0",
                "redeem.ban_after_misses", "3"));
    shop.product("basic", 30);
  }

  @AfterAll
  static void close() {
    shop.close();
    TestEngines.shared().flushRedis();
  }

  private static String hash(String order) {
    return shop.admin("GET", "/redeem/failures?order_id=" + order, "").path("order_hash").asText();
  }

  private static JsonNode claims(String order) {
    return shop.admin("GET", "/audit?kind=claim&order_hash=" + hash(order), "").path("events");
  }

  @Test
  void whatWasGivenIsThereWithoutTheNumberAndTheCode() {
    shop.order("taobao", "TB20260108000000021", "basic", "paid");
    String browser = shop.browser();
    String code = shop.claim("TB20260108000000021", "basic", "mine", browser).code();
    assertThat(shop.claim("TB20260108000000021", "basic", "mine", browser).code()).isEqualTo(code);
    RedeemTestServer.eventually(() -> claims("TB20260108000000021").size() == 2);
    JsonNode events = claims("TB20260108000000021");
    assertThat(events.findValuesAsText("what")).containsExactly("replayed", "claimed");
    JsonNode event = events.get(1).path("event");
    assertThat(event.path("product").asText()).isEqualTo("basic");
    assertThat(event.path("ip").asText()).hasSize(22);
    assertThat(event.path("device").asText()).hasSize(22);
    assertThat(events.toString())
        .doesNotContain("TB20260108000000021")
        .doesNotContain(code)
        .doesNotContain("127.0.0.1");
  }

  @Test
  void aRefusalHasItsTrueReasonThoughOutsideAllAreOne() {
    shop.order("taobao", "TB20260108000000022", "basic", "refunded");
    shop.claim("TB20260108000000022", "basic", "other", "").refused(400, "ORDER_NOT_FOUND");
    RedeemTestServer.eventually(() -> !claims("TB20260108000000022").isEmpty());
    assertThat(claims("TB20260108000000022").findValuesAsText("what"))
        .containsExactly("ORDER_REVOKED");
  }

  @Test
  void aBanIsThereAndWhoeverRunsIntoIt() {
    for (int i = 0; i < 3; i++) {
      shop.claim("TB2026010800000003" + i, "basic", "guesser", "").refused(400, "ORDER_NOT_FOUND");
    }
    String next = "TB20260108000000033";
    shop.claim(next, "basic", "guesser", "").refused(403, "CLIENT_BANNED");
    RedeemTestServer.eventually(() -> !claims(next).isEmpty());
    assertThat(claims(next).findValuesAsText("what")).containsExactly("CLIENT_BANNED");
    assertThat(claims("TB20260108000000030").findValuesAsText("what"))
        .containsExactly("ORDER_NOT_FOUND");
    JsonNode bans = shop.admin("GET", "/audit?kind=ban&what=claims", "").path("events");
    assertThat(bans.findValuesAsText("kind")).contains("device");
    TestEngines.shared().flushRedis();
  }
}
