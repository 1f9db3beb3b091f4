package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.redeem.RedeemTestServer.Answer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Budgets and bans over HTTP: taken before anything is verified.
class LimitsTest {
  private static final Map<String, String> ANY =
      Map.of(
          "limits", "on",
          "redeem.claims_per_minute", "0",
          "redeem.claims_per_day", "0",
          "redeem.claims_per_order", "0",
          "redeem.misses_per_hour", "0",
          "redeem.ban_after_misses", "0");

  @BeforeEach
  @AfterEach
  void clear() {
    TestEngines.shared().flushRedis();
  }

  /// A shop in which nothing is limited but this.
  private static RedeemTestServer shop(String... settings) {
    Map<String, String> all = new HashMap<>(ANY);
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    RedeemTestServer shop = RedeemTestServer.open(all);
    shop.product("basic", 30);
    return shop;
  }

  private static Answer guess(RedeemTestServer shop, int number, String cookie) {
    return shop.claim("TB20260108%09d".formatted(number), "basic", "guesser", cookie);
  }

  @Test
  void anAddressHasTenAttemptsAMinuteRightOrWrong() {
    try (RedeemTestServer shop = shop("redeem.claims_per_minute", "10")) {
      shop.order("taobao", "TB20260108555555555", "basic", "paid");
      for (int i = 0; i < 10; i++) {
        guess(shop, i, "").refused(400, "ORDER_NOT_FOUND");
      }
      Answer refused = shop.claim("TB20260108555555555", "basic", "honest", "");
      refused.refused(429, "RATE_LIMIT_EXCEEDED");
      assertThat(refused.raw().headers().firstValueAsLong("retry-after").orElseThrow())
          .isBetween(1L, 60L);
      assertThat(shop.sql("SELECT 1 FROM order_redemptions")).isEmpty();
    }
  }

  @Test
  void aDeviceHasItsAttemptsADay() {
    try (RedeemTestServer shop = shop("redeem.claims_per_day", "2")) {
      String browser = shop.browser();
      guess(shop, 1, browser).refused(400, "ORDER_NOT_FOUND");
      guess(shop, 2, browser).refused(400, "ORDER_NOT_FOUND");
      guess(shop, 3, browser).refused(429, "RATE_LIMIT_EXCEEDED");
      named(shop, 4, "other", shop.browser()).refused(400, "ORDER_NOT_FOUND");
      // What the client calls itself counts, with a new cookie and without one.
      guess(shop, 5, shop.browser()).refused(429, "RATE_LIMIT_EXCEEDED");
      guess(shop, 6, "").refused(429, "RATE_LIMIT_EXCEEDED");
      named(shop, 7, "third", "").refused(400, "ORDER_NOT_FOUND");
    }
  }

  @Test
  void theAttemptsOfADeviceIdCountOverAllAddresses() {
    try (RedeemTestServer shop =
        shop("redeem.claims_per_day", "2", "server.trusted_proxies", "127.0.0.1")) {
      for (int i = 0; i < 3; i++) {
        Answer answer =
            shop.post(
                "/api/redeem/claim",
                "{\"order_id\":\"TB20260108%09d\",\"product_id\":\"basic\",\"device_id\":\"web_a1\"}"
                    .formatted(i),
                "X-Forwarded-For",
                "203.0.113." + i);
        if (i < 2) {
          answer.refused(400, "ORDER_NOT_FOUND");
        } else {
          answer.refused(429, "RATE_LIMIT_EXCEEDED");
        }
      }
      named(shop, 9, "web_b2", "").refused(400, "ORDER_NOT_FOUND");
    }
  }

  private static Answer named(RedeemTestServer shop, int number, String device, String cookie) {
    return shop.claim("TB20260108%09d".formatted(number), "basic", device, cookie);
  }

  @Test
  void manyDevicesOnOneOrderAreStopped() {
    try (RedeemTestServer shop = shop("redeem.claims_per_order", "3")) {
      shop.order("taobao", "TB20260108555555555", "basic", "paid");
      assertThat(shop.claim("TB20260108555555555", "basic", "a", "").code()).isNotEmpty();
      for (String device : List.of("b", "c")) {
        shop.claim("TB20260108555555555", "basic", device, "")
            .refused(400, "ORDER_ALREADY_CLAIMED");
      }
      shop.claim("TB20260108555555555", "basic", "d", "").refused(429, "RATE_LIMIT_EXCEEDED");
      guess(shop, 1, "").refused(400, "ORDER_NOT_FOUND");
    }
  }

  @Test
  void whoIsRefusedUsesUpNobodysOrder() {
    try (RedeemTestServer shop =
        shop("redeem.claims_per_day", "1", "redeem.claims_per_order", "2")) {
      shop.order("taobao", "TB20260108555555555", "basic", "paid");
      guess(shop, 1, "").refused(400, "ORDER_NOT_FOUND");
      for (int i = 0; i < 5; i++) {
        shop.claim("TB20260108555555555", "basic", "guesser", "")
            .refused(429, "RATE_LIMIT_EXCEEDED");
      }
      assertThat(shop.claim("TB20260108555555555", "basic", "honest", "").code()).isNotEmpty();
    }
  }

  @Test
  void claimsWithoutTheRequiredSignatureUseUpTheirCallersAttemptsAndNotTheOrders() {
    try (RedeemTestServer shop =
        shop(
            "redeem.signature", "on",
            "redeem.signature_keys", "a:secret",
            "redeem.claims_per_day", "2",
            "redeem.claims_per_order", "1")) {
      String order = "TB20260108555555555";
      shop.order("taobao", order, "basic", "paid");
      String browser = shop.browser();
      shop.claim(order, "basic", "guesser", browser).refused(400, "INVALID_SIGNATURE");
      shop.claim(signed(order, "v1.a.9999999999." + "A".repeat(43)), browser)
          .refused(400, "INVALID_SIGNATURE");
      shop.claim(order, "basic", "guesser", browser).refused(429, "RATE_LIMIT_EXCEEDED");
      String claim =
          signed(order, ClaimSignature.sign("a", "secret", 9_999_999_999L, order, "basic"));
      assertThat(shop.claim(claim, shop.browser()).code()).isNotEmpty();
      shop.claim(claim, shop.browser()).refused(429, "RATE_LIMIT_EXCEEDED");
    }
  }

  private static String signed(String order, String signature) {
    return "{\"order_id\":\"%s\",\"product_id\":\"basic\",\"device_id\":\"d\",\"signature\":\"%s\"}"
        .formatted(order, signature);
  }

  @Test
  void missesHaveATightBudgetOfTheirOwn() {
    try (RedeemTestServer shop = shop("redeem.misses_per_hour", "2")) {
      shop.order("taobao", "TB20260108555555555", "basic", "paid");
      guess(shop, 1, "").refused(400, "ORDER_NOT_FOUND");
      shop.claim("TB20260108555555555", "other", "guesser", "")
          .refused(400, "ORDER_PRODUCT_MISMATCH");
      guess(shop, 2, "").refused(429, "RATE_LIMIT_EXCEEDED");
    }
  }

  @Test
  void missesOfOneDeviceDoNotLockOutItsNeighbours() {
    try (RedeemTestServer shop = shop("redeem.misses_per_hour", "2")) {
      shop.order("taobao", "TB20260108555555555", "basic", "paid");
      String neighbour = shop.browser();
      // The address has five times the misses of a device.
      for (int i = 0; i < 10; i++) {
        shop.claim("TB20260108%09d".formatted(i), "basic", "guesser" + i / 2, "")
            .refused(400, "ORDER_NOT_FOUND");
      }
      guess(shop, 99, "").refused(429, "RATE_LIMIT_EXCEEDED");
      assertThat(shop.claim("TB20260108555555555", "basic", "honest", neighbour).code())
          .isNotEmpty();
    }
  }

  @Test
  void anOrderThatIsNotImportedYetIsOneMissHoweverOftenItIsTried() {
    try (RedeemTestServer shop =
        shop("redeem.misses_per_hour", "2", "redeem.ban_after_misses", "3")) {
      String browser = shop.browser();
      for (int i = 0; i < 6; i++) {
        guess(shop, 1, browser).refused(400, "ORDER_NOT_FOUND");
      }
      shop.order("taobao", "TB20260108000000001", "basic", "paid");
      // And whoever types it in lower case means it.
      assertThat(shop.claim("tb20260108000000001", "basic", "guesser", browser).code())
          .isNotEmpty();
    }
  }

  @Test
  void whoGuessesTooOftenIsBarredUntilAnOperatorLiftsIt() {
    try (RedeemTestServer shop = shop("redeem.ban_after_misses", "3", "redeem.ban_minutes", "5")) {
      shop.order("taobao", "TB20260108555555555", "basic", "paid");
      for (int i = 0; i < 15; i++) {
        shop.claim("TB20260108%09d".formatted(i), "basic", "guesser" + i / 3, "")
            .refused(400, "ORDER_NOT_FOUND");
      }
      Answer barred = shop.claim("TB20260108555555555", "basic", "honest", "");
      barred.refused(403, "CLIENT_BANNED");
      assertThat(barred.raw().headers().firstValueAsLong("retry-after").orElseThrow())
          .isBetween(200L, 300L);
      RedeemTestServer.eventually(() -> shop.sql("SELECT 1 FROM claim_bans").size() == 6);
      assertThat(shop.admin("GET", "/redeem/bans", "").findValuesAsText("subject"))
          .contains(
              "ip:127.0.0.1", "device:self:guesser0@127.0.0.1", "device:self:guesser4@127.0.0.1");
      String id = shop.value("SELECT id FROM claim_bans WHERE subject = 'ip:127.0.0.1'");
      assertThat(
              shop.admin("POST", "/redeem/bans/" + id + "/lift", "{\"reason\":\"a school\"}")
                  .path("lifted_by")
                  .asText())
          .startsWith("operator@");
      assertThat(shop.claim("TB20260108555555555", "basic", "honest", "").code()).isNotEmpty();
      shop.claim("TB20260108000000099", "basic", "guesser0", "").refused(403, "CLIENT_BANNED");
      assertThat(shop.admin("GET", "/redeem/bans", "").path("bans")).hasSize(5);
      assertThat(shop.admin("GET", "/redeem/bans?all=true", "").path("bans")).hasSize(6);
    }
  }

  @Test
  void guessingCodesIsMeasuredTheSameWayAndTypingErrorsAreNot() {
    try (RedeemTestServer shop = shop("redeem.misses_per_hour", "2")) {
      for (int i = 0; i < 5; i++) {
        Answer typo = shop.post("/api/redeem/activate", activation("MHYDET-222222-2223"));
        typo.refused(404, "CODE_NOT_FOUND");
        assertThat(typo.body().path("typo").asBoolean()).isTrue();
      }
      for (int i = 0; i < 2; i++) {
        Answer guess = shop.post("/api/redeem/activate", activation("MHYDET-222222-2222"));
        guess.refused(404, "CODE_NOT_FOUND");
        assertThat(guess.body().has("typo")).isFalse();
      }
      shop.post("/api/redeem/activate", activation("MHYDET-222222-2222"))
          .refused(429, "RATE_LIMIT_EXCEEDED");
    }
  }

  private static String activation(String code) {
    return "{\"code\":\"%s\",\"device_id\":\"d\"}".formatted(code);
  }
}
