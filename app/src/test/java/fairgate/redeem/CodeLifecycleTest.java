package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.redeem.RedeemTestServer.Answer;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A code after its claim: activated, checked, expired, revoked, replaced, each step an event.
class CodeLifecycleTest {
  private static RedeemTestServer shop;

  @BeforeAll
  static void open() {
    shop = RedeemTestServer.open(Map.of());
    shop.product("basic", 30);
    put("from-use", "{\"name\":\"n\",\"duration_days\":7,\"starts\":\"first_use\"}");
    put(
        "soon",
        "{\"name\":\"n\",\"duration_days\":7,\"starts\":\"first_use\",\"activate_within_days\":3,"
            + "\"code_prefix\":\"XMAS\"}");
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  private static void put(String id, String body) {
    assertThat(shop.admin("PUT", "/redeem/products/" + id, body).path("id").asText()).isEqualTo(id);
  }

  private static Answer claim(String order, String product, String browser) {
    shop.order("taobao", order, product, "paid");
    return shop.claim(order, product, "mine", browser);
  }

  private static Answer activate(String code, String browser) {
    return shop.post(
        "/api/redeem/activate",
        "{\"code\":\"%s\",\"device_id\":\"mine\"}".formatted(code),
        "Cookie",
        browser);
  }

  private static String idOf(String order) {
    return shop.value("SELECT code_id FROM order_redemptions WHERE order_id = ?", order);
  }

  private static List<String> steps(String id) {
    return shop.admin("GET", "/redeem/codes/" + id, "").path("events").findValuesAsText("to");
  }

  private static Duration until(JsonNode expiry) {
    return Duration.between(
        OffsetDateTime.now(ZoneOffset.UTC), OffsetDateTime.parse(expiry.asText()));
  }

  @Test
  void theDurationMayBeginWithTheFirstUse() {
    String browser = shop.browser();
    Answer claimed = claim("TB50260108000001", "from-use", browser);
    assertThat(claimed.body().path("data").path("expires_at").isNull()).isTrue();
    assertThat(claimed.body().path("data").path("duration_days").asInt()).isEqualTo(7);
    Answer first = activate(claimed.code().toLowerCase(java.util.Locale.ROOT), browser);
    assertThat(first.status()).isEqualTo(200);
    assertThat(until(first.body().path("data").path("expires_at")))
        .isBetween(Duration.ofDays(7).minusMinutes(5), Duration.ofDays(7));
    Answer again = activate("「" + claimed.code() + "」。", browser);
    assertThat(again.replayed()).isTrue();
    assertThat(again.body().path("data")).isEqualTo(first.body().path("data"));
    Answer stranger = activate(claimed.code(), shop.browser());
    stranger.refused(409, "CODE_STATE_CONFLICT");
    assertThat(stranger.body().path("state").asText()).isEqualTo("activated");
    assertThat(steps(idOf("TB50260108000001"))).containsExactly("assigned", "activated");
  }

  @Test
  void aCodeMayHaveToBeUsedInTime() {
    String browser = shop.browser();
    Answer claimed = claim("TB50260108000002", "soon", browser);
    assertThat(claimed.code()).startsWith("XMAS-");
    assertThat(until(claimed.body().path("data").path("expires_at")))
        .isBetween(Duration.ofDays(3).minusMinutes(5), Duration.ofDays(3));
    shop.sql(
        "UPDATE redemption_codes SET expires_at = now() - interval '1 s' WHERE order_id = ?",
        "TB50260108000002");
    Answer late = activate(claimed.code(), browser);
    late.refused(409, "CODE_STATE_CONFLICT");
    assertThat(late.body().path("state").asText()).isEqualTo("expired");
    RedeemTestServer.eventually(
        () -> steps(idOf("TB50260108000002")).equals(List.of("assigned", "expired")));
  }

  @Test
  void anOperatorRevokesWithAReason() {
    String browser = shop.browser();
    Answer claimed = claim("TB50260108000003", "basic", browser);
    String id = idOf("TB50260108000003");
    JsonNode revoked =
        shop.admin("POST", "/redeem/codes/" + id + "/revoke", "{\"reason\":\"chargeback\"}");
    assertThat(revoked.path("state").asText()).isEqualTo("revoked");
    JsonNode event = revoked.path("events").get(1);
    assertThat(event.path("from").asText() + event.path("to").asText())
        .isEqualTo("assignedrevoked");
    assertThat(event.path("reason").asText()).isEqualTo("chargeback");
    assertThat(event.path("actor").asText()).startsWith("operator@");
    assertThat(
            shop.admin("POST", "/redeem/codes/" + id + "/revoke", "{\"reason\":\"again\"}")
                .path("repeated")
                .asBoolean())
        .isTrue();
    assertThat(steps(id)).containsExactly("assigned", "revoked");
    activate(claimed.code(), browser).refused(409, "CODE_STATE_CONFLICT");
    shop.claim("TB50260108000003", "basic", "mine", browser).refused(400, "ORDER_REVOKED");
  }

  @Test
  void anOperatorReplacesAndTheBuyerGetsTheNewOne() {
    String browser = shop.browser();
    Answer claimed = claim("TB50260108000004", "from-use", browser);
    Answer used = activate(claimed.code(), browser);
    String id = idOf("TB50260108000004");
    JsonNode replaced =
        shop.admin("POST", "/redeem/codes/" + id + "/replace", "{\"reason\":\"lost\"}");
    String fresh = replaced.path("code").asText();
    assertThat(fresh).isNotEqualTo(claimed.code());
    Answer again = shop.claim("TB50260108000004", "from-use", "mine", browser);
    assertThat(again.code()).isEqualTo(fresh);
    assertThat(again.replayed()).isTrue();
    activate(claimed.code(), browser).refused(409, "CODE_STATE_CONFLICT");
    Answer anew = activate(fresh, browser);
    assertThat(anew.body().path("data").path("expires_at"))
        .isEqualTo(used.body().path("data").path("expires_at"));
    assertThat(steps(id)).containsExactly("assigned", "activated", "replaced");
    String freshId = replaced.path("id").asText();
    assertThat(steps(freshId)).containsExactly("assigned", "activated");
    assertThat(shop.admin("GET", "/redeem/codes/" + id, "").path("replaced_by").asText())
        .isEqualTo(freshId);
    assertThat(shop.admin("GET", "/redeem/codes/" + freshId, "").path("replaces").asText())
        .isEqualTo(id);
  }

  @Test
  void anOperatorFindsACodeByItsWholeTextOnly() {
    Answer claimed = claim("TB50260108000091", "basic", shop.browser());
    String id = idOf("TB50260108000091");
    String typed = claimed.code().toLowerCase(java.util.Locale.ROOT).replace('-', ' ');
    assertThat(found(" " + typed + "\u3000").path(0).path("id").asText()).isEqualTo(id);
    String other = "XX" + claimed.code().substring(2);
    assertThat(found(other)).as("the same last characters").isEmpty();
    assertThat(shop.admin("GET", "/audit?kind=admin", "").toString())
        .contains("POST /api/admin/redeem/codes/search", "[redacted]")
        .doesNotContain(typed, other);
  }

  private static JsonNode found(String code) {
    String body = "{\"redemption_code\":\"%s\"}".formatted(code);
    return shop.admin("POST", "/redeem/codes/search", body).path("codes");
  }

  @Test
  void merchantsCheckWithAKey() {
    Answer claimed = claim("TB50260108000005", "basic", shop.browser());
    String body = "{\"code\":\"%s\"}".formatted(claimed.code());
    shop.post("/api/redeem/check", body).refused(401, "UNAUTHORIZED");
    JsonNode made = shop.admin("POST", "/redeem/merchants", "{\"name\":\"Corner shop\"}");
    String key = "Bearer " + made.path("key").asText();
    Answer checked = shop.post("/api/redeem/check", body, "Authorization", key);
    assertThat(checked.body().path("data").path("good").asBoolean()).isTrue();
    assertThat(checked.body().path("data").path("state").asText()).isEqualTo("assigned");
    shop.post("/api/redeem/check", "{\"code\":\"MHYDET-222222-2222\"}", "Authorization", key)
        .refused(404, "CODE_NOT_FOUND");
    assertThat(shop.admin("GET", "/redeem/merchants", "").toString())
        .contains("Corner shop")
        .doesNotContain("fgm_");
    assertThat(shop.value("SELECT k::text FROM merchant_keys k")).doesNotContain("fgm_");
    shop.admin("DELETE", "/redeem/merchants/" + made.path("id").asText(), "");
    shop.post("/api/redeem/check", body, "Authorization", key).refused(401, "UNAUTHORIZED");
  }

  @Test
  void aRefundCutsAnUnusedCodeAndFlagsAUsedOne() {
    String browser = shop.browser();
    Answer unused = claim("TB50260108000006", "basic", browser);
    Answer used = claim("TB50260108000007", "basic", browser);
    assertThat(activate(used.code(), browser).status()).isEqualTo(200);
    assertThat(unused.code()).isNotEmpty();
    shop.sql(
        "UPDATE orders SET status = 'refunded', updated_at = now() WHERE order_id IN (?, ?)",
        "TB50260108000006",
        "TB50260108000007");
    shop.sweep(InstantSource.system());
    shop.sweep(InstantSource.system());
    // A node's own sweep may hold it.
    RedeemTestServer.eventually(
        () -> steps(idOf("TB50260108000006")).equals(List.of("assigned", "revoked")));
    assertThat(steps(idOf("TB50260108000007")))
        .containsExactly("assigned", "activated", "activated");
    shop.claim("TB50260108000006", "basic", "mine", browser).refused(400, "ORDER_REVOKED");
  }

  @Test
  void aCodeIsNoGoodFromTheRefundOn() {
    String browser = shop.browser();
    String code = claim("TB50260108000016", "basic", browser).code();
    shop.sql("UPDATE orders SET status = 'refunded' WHERE order_id = 'TB50260108000016'");
    assertThat(activate(code, browser).refused(409, "CODE_STATE_CONFLICT").status()).isEqualTo(409);
    shop.claim("TB50260108000016", "basic", "mine", browser).refused(400, "ORDER_REVOKED");
    String key =
        "Bearer "
            + shop.admin("POST", "/redeem/merchants", "{\"name\":\"s\"}").path("key").asText();
    Answer checked =
        shop.post("/api/redeem/check", "{\"code\":\"%s\"}".formatted(code), "Authorization", key);
    assertThat(checked.body().path("data").path("good").asBoolean()).isFalse();
    assertThat(checked.body().path("data").path("state").asText()).isEqualTo("revoked");
  }

  @Test
  void operatorsFindCodesWithoutSeeingThem() {
    String code = claim("TB50260108000008", "basic", shop.browser()).code();
    String last4 = code.substring(code.length() - 4);
    JsonNode found =
        shop.admin("GET", "/redeem/codes?order_id=TB50260108000008&last4=" + last4, "");
    assertThat(found.path("codes")).hasSize(1);
    assertThat(found.toString()).doesNotContain(code);
    assertThat(shop.admin("GET", "/redeem/codes?state=revoked&last4=" + last4, "").path("codes"))
        .isEmpty();
  }

  @Test
  void theStoryOfACodeCannotBeRewritten() {
    assertThat(claim("TB50260108000009", "basic", shop.browser()).code()).isNotEmpty();
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> shop.sql("UPDATE code_events SET actor = 'nobody'"))
        .hasMessageContaining("append-only");
  }

  @Test
  void operatorsAreToldHowHardCodesAreToGuess() {
    for (int i = 0; i < 26; i++) {
      assertThat(claim("TB6026010800%04d".formatted(i), "basic", shop.browser()).code())
          .isNotEmpty();
    }
    JsonNode spaces = shop.admin("GET", "/redeem/strength", "").path("spaces");
    JsonNode basic =
        StreamSupport.stream(spaces.spliterator(), false)
            .filter(space -> space.path("mask").asText().startsWith("MHYDET"))
            .findFirst()
            .orElseThrow();
    assertThat(basic.path("live_codes").asInt()).isGreaterThanOrEqualTo(26);
    // 44.59 bits of the mask, less the 4.7 of 26 live codes.
    assertThat(basic.path("bits").asDouble()).isLessThan(39.9);
    assertThat(basic.path("weak").asBoolean()).isTrue();
  }
}
