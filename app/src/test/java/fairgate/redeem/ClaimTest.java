package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import fairgate.redeem.RedeemTestServer.Answer;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The claim of seed 002 over HTTP: its five test cases, and every code of the contract that does
/// not need an order system or limits.
class ClaimTest {
  private static RedeemTestServer shop;

  @BeforeAll
  static void open() {
    shop = RedeemTestServer.open(Map.of());
    shop.product("basic", 30);
    shop.product("standard", 90);
    shop.product("eternal", null);
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  @Test
  void aPaidOrderGivesACode() {
    shop.order("taobao", "TB20260108123456789", "basic", "paid");
    Answer answer = shop.claim("TB20260108123456789", "basic", "web_abc123xyz456", "");
    assertThat(answer.code()).matches("MHYDET-[2-9B-DF-HJKMNP-TV-Z]{6}-[2-9B-DF-HJKMNP-TV-Z]{4}");
    assertThat(answer.body().path("message").asText()).isNotEmpty();
    assertThat(answer.body().path("data").path("duration_days").asInt()).isEqualTo(30);
    String expiry = answer.body().path("data").path("expires_at").asText();
    assertThat(Duration.between(OffsetDateTime.now(ZoneOffset.UTC), OffsetDateTime.parse(expiry)))
        .isBetween(Duration.ofDays(30).minusMinutes(5), Duration.ofDays(30));
    assertThat(answer.body().has("replayed")).isFalse();
    assertThat(
            shop.value(
                "SELECT product_id || ' ' || device_id FROM order_redemptions WHERE order_id = ?",
                "TB20260108123456789"))
        .isEqualTo("basic web_abc123xyz456");
  }

  @Test
  void anOrderIsClaimedOnce() {
    shop.order("taobao", "TB20260108000000001", "basic", "paid");
    assertThat(shop.claim("TB20260108000000001", "basic", "one", "").code()).isNotEmpty();
    shop.claim("TB20260108000000001", "basic", "one", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.claim("TB20260108000000001", "basic", "two", shop.browser())
        .refused(400, "ORDER_ALREADY_CLAIMED");
    assertThat(
            shop.value(
                "SELECT count(*) FROM redemption_codes WHERE order_id = ?", "TB20260108000000001"))
        .isEqualTo("1");
  }

  @Test
  void anUnknownOrderIsNotFound() {
    shop.claim("TB20260108999999999", "basic", "one", "").refused(400, "ORDER_NOT_FOUND");
  }

  @Test
  void anOrderOfAnotherProductDoesNotMatch() {
    shop.order("taobao", "TB20260108000000002", "basic", "paid");
    shop.claim("TB20260108000000002", "standard", "one", "").refused(400, "ORDER_PRODUCT_MISMATCH");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pending", "cancelled", "expired"})
  void anUnpaidOrderIsNotPaid(String status) {
    String order =
        "TB20260108" + String.format("%08d", Math.floorMod(status.hashCode(), 100_000_000));
    shop.order("taobao", order, "basic", status);
    shop.claim(order, "basic", "one", "").refused(400, "ORDER_NOT_PAID");
  }

  @Test
  void anOrderMayExpire() {
    shop.order("taobao", "TB20260108000000003", "basic", "paid");
    shop.sql(
        "UPDATE orders SET expires_at = now() - interval '1 s' WHERE order_id = ?",
        "TB20260108000000003");
    shop.claim("TB20260108000000003", "basic", "one", "").refused(400, "ORDER_EXPIRED");
  }

  @Test
  void aRefundedOrderIsRevoked() {
    shop.order("taobao", "TB20260108000000004", "basic", "refunded");
    shop.claim("TB20260108000000004", "basic", "one", "").refused(400, "ORDER_REVOKED");
  }

  @Test
  void aProductNobodySetUpIsNotFound() {
    shop.order("taobao", "TB20260108000000005", "advanced", "paid");
    shop.claim("TB20260108000000005", "advanced", "one", "").refused(400, "PRODUCT_NOT_FOUND");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"order_id\":\"TB20260108123456789\",\"product_id\":\"basic\"}",
        "{\"order_id\":\"TB20260108123456789\",\"device_id\":\"d\"}",
        "{\"product_id\":\"basic\",\"device_id\":\"d\"}",
        "{\"order_id\":3211058044792473088,\"product_id\":\"basic\",\"device_id\":\"d\"}",
        "{\"order_id\":\"3.21E+18\",\"product_id\":\"basic\",\"device_id\":\"d\"}",
        "{\"order_id\":\"../../admin\",\"product_id\":\"basic\",\"device_id\":\"d\"}",
        "{\"order_id\":\"TB20260108123456789\",\"product_id\":\"a/b\",\"device_id\":\"d\"}",
        "{\"order_id\":\"TB20260108123456789\",\"product_id\":\"basic\",\"device_id\":\"d\","
            + "\"platform\":\"nobody\"}",
        "{\"order_id\":\"TB20260108123456789\",\"product_id\":\"basic\",\"device_id\":\"d\","
            + "\"platform\":\"douyin\"}",
        "{\"order_id\":\"\",\"product_id\":\"basic\",\"device_id\":\"d\"}",
        "[1]",
        "{"
      })
  void whatIsNoClaimIsInvalid(String body) {
    shop.claim(body, "").refused(400, "INVALID_REQUEST");
  }

  @Test
  void theSameBrowserGetsTheSameCodeAgain() {
    shop.order("taobao", "TB20260108000000006", "basic", "paid");
    String browser = shop.browser();
    Answer first = shop.claim("TB20260108000000006", "basic", "mine", browser);
    Answer again = shop.claim("TB20260108000000006", "basic", "mine", browser);
    assertThat(first.replayed()).isFalse();
    assertThat(again.replayed()).isTrue();
    assertThat(again.code()).isEqualTo(first.code());
    assertThat(again.body().path("data")).isEqualTo(first.body().path("data"));
    shop.claim("TB20260108000000006", "basic", "other", browser)
        .refused(400, "ORDER_ALREADY_CLAIMED");
    shop.claim("TB20260108000000006", "basic", "mine", "").refused(400, "ORDER_ALREADY_CLAIMED");
  }

  @Test
  void aCodeThatWasWithdrawnIsNotGivenAgain() {
    shop.order("taobao", "TB20260108000000007", "basic", "paid");
    String browser = shop.browser();
    assertThat(shop.claim("TB20260108000000007", "basic", "mine", browser).code()).isNotEmpty();
    shop.sql(
        "UPDATE redemption_codes SET state = 'revoked' WHERE order_id = ?", "TB20260108000000007");
    shop.claim("TB20260108000000007", "basic", "mine", browser).refused(400, "ORDER_REVOKED");
  }

  @Test
  void numbersAreTakenAsPeopleCopyThem() {
    shop.order("xiaohongshu", "P123456789012345678", "basic", "paid");
    assertThat(shop.claim("\\u200bP１２３４５６７８９０１２３４５ 678 ", "basic", "one", "").code()).isNotEmpty();
  }

  @Test
  void aNumberOfTwoPlatformsNeedsItsPlatform() {
    shop.order("taobao", "6911058044792473088", "basic", "paid");
    shop.order("douyin", "6911058044792473088", "basic", "paid");
    Answer asked = shop.claim("6911058044792473088", "basic", "one", "");
    asked.refused(400, "INVALID_REQUEST");
    assertThat(asked.body().path("field").asText()).isEqualTo("platform");
    assertThat(
            shop.claim(
                    "{\"order_id\":\"6911058044792473088\",\"product_id\":\"basic\","
                        + "\"device_id\":\"one\",\"platform\":\"douyin\"}",
                    "")
                .code())
        .isNotEmpty();
    assertThat(
            shop.value(
                "SELECT platform FROM order_redemptions WHERE order_id = ?", "6911058044792473088"))
        .isEqualTo("douyin");
  }

  @Test
  void eachProductOfAnOrderGivesACode() {
    String order = "TB20260108000000020";
    shop.order("taobao", order, "basic", "paid");
    shop.order("taobao", order, "standard", "paid");
    shop.order("taobao", order, "eternal", "pending");
    String browser = shop.browser();
    String basic = shop.claim(order, "basic", "mine", browser).code();
    String standard = shop.claim(order, "standard", "mine", browser).code();
    assertThat(standard).isNotEqualTo(basic);
    shop.claim(order, "eternal", "mine", browser).refused(400, "ORDER_NOT_PAID");
    assertThat(shop.claim(order, "basic", "mine", browser).code()).isEqualTo(basic);
    assertThat(shop.claim(order, "standard", "mine", browser).code()).isEqualTo(standard);
    shop.claim(order, "basic", "other", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.sql(
        "UPDATE orders SET status = 'refunded' WHERE order_id = ? AND product_id = 'basic'", order);
    shop.claim(order, "basic", "mine", browser).refused(400, "ORDER_REVOKED");
    assertThat(shop.claim(order, "standard", "mine", browser).code()).isEqualTo(standard);
  }

  @Test
  void whoeverClaimedOneProductHoldsOnlyThatOne() {
    String order = "TB20260108000000021";
    shop.order("taobao", order, "basic", "paid");
    assertThat(shop.claim(order, "basic", "one", "").code()).isNotEmpty();
    shop.claim(order, "basic", "two", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.claim(order, "standard", "two", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.order("taobao", order, "standard", "paid");
    shop.claim(order, "eternal", "two", "").refused(400, "ORDER_PRODUCT_MISMATCH");
    assertThat(shop.claim(order, "standard", "two", "").code()).isNotEmpty();
  }

  @Test
  void aNumberIsFoundInAnotherCase() {
    shop.order("generic", "Shop-Ab12cD", "basic", "paid");
    String browser = shop.browser();
    String code = shop.claim("shop-ab12cd", "basic", "mine", browser).code();
    assertThat(shop.claim("SHOP-AB12CD", "basic", "mine", browser).code()).isEqualTo(code);
    assertThat(shop.claim("Shop-Ab12cD", "basic", "mine", browser).code()).isEqualTo(code);
    shop.claim("sHOP-aB12Cd", "basic", "other", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.order("generic", "lower-77", "basic", "paid");
    assertThat(shop.claim("LOWER-77", "basic", "one", "").code()).isNotEmpty();
  }

  @Test
  void numbersThatDifferInTheirCaseAloneStayTwo() {
    shop.order("generic", "Twin-1a", "basic", "paid");
    shop.claim("tWIN-1A", "basic", "one", "").code();
    shop.claim("twin-1A", "basic", "two", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.order("generic", "twin-1A", "basic", "paid");
    shop.claim("TWIN-1A", "basic", "two", "").refused(400, "ORDER_NOT_FOUND");
    assertThat(shop.claim("twin-1A", "basic", "two", "").code()).isNotEmpty();
    shop.claim("Twin-1a", "basic", "two", "").refused(400, "ORDER_ALREADY_CLAIMED");
  }

  @Test
  void aCodeMayBeGoodForEver() {
    shop.order("taobao", "TB20260108000000008", "eternal", "paid");
    Answer answer = shop.claim("TB20260108000000008", "eternal", "one", "");
    assertThat(answer.code()).isNotEmpty();
    assertThat(answer.body().path("data").path("expires_at").isNull()).isTrue();
    assertThat(answer.body().path("data").path("duration_days").isNull()).isTrue();
  }

  @Test
  void aBoxThatDoesNotOpenIsOurFault() {
    shop.order("taobao", "TB20260108000000009", "basic", "paid");
    String browser = shop.browser();
    assertThat(shop.claim("TB20260108000000009", "basic", "mine", browser).code()).isNotEmpty();
    shop.sql(
        "UPDATE redemption_codes SET code_box = '\\x00'::bytea WHERE order_id = ?",
        "TB20260108000000009");
    shop.claim("TB20260108000000009", "basic", "mine", browser).refused(500, "SERVER_ERROR");
  }

  @Test
  void codesAreNowhereInClear() {
    shop.order("taobao", "TB20260108000000010", "basic", "paid");
    String code = shop.claim("TB20260108000000010", "basic", "one", "").code();
    String row =
        shop.value(
            "SELECT c::text FROM redemption_codes c WHERE order_id = ?", "TB20260108000000010");
    assertThat(row).doesNotContain(code).doesNotContain(code.substring(7, 13));
    assertThat(row).contains(code.substring(code.length() - 4));
    assertThat(
            shop.value(
                "SELECT string_agg(to_state || ' ' || reason, ',') FROM code_events e"
                    + " JOIN redemption_codes c ON c.id = e.code_id WHERE c.order_id = ?",
                "TB20260108000000010"))
        .isEqualTo("assigned claim");
  }

  @Test
  void refusedClaimsAreRecordedWithoutTheNumber() {
    shop.claim("TB20260108777777777", "basic", "guesser", "").refused(400, "ORDER_NOT_FOUND");
    RedeemTestServer.eventually(
        () ->
            !shop.sql("SELECT 1 FROM order_verification_failures WHERE device_id = 'guesser'")
                .isEmpty());
    String row =
        shop.value("SELECT f::text FROM order_verification_failures f WHERE device_id = 'guesser'");
    assertThat(row).contains("ORDER_NOT_FOUND").contains("127.0.0.1").doesNotContain("77777");
  }

  @Test
  void whatWasBoughtHereIsRedeemedHere() {
    TestFairgate server = shop.server();
    server.createProduct("77", 5, "{\"preset\": \"queue\"}");
    String order = "order_77_0123456789abcdefghijklmnop";
    shop.order("fairgate", order, "77", "pending");
    shop.sql(
        """
        UPDATE orders SET session_id = 's', user_id = 'u', device = 'd', quantity = 1, amount = 1,
          currency = 'TWD' WHERE order_id = ?
        """,
        order);
    shop.claim(order, "77", "one", "").refused(400, "ORDER_NOT_PAID");
    shop.sql("UPDATE orders SET status = 'paid', paid_at = now() WHERE order_id = ?", order);
    assertThat(shop.claim(order, "77", "one", "").code()).isNotEmpty();
    shop.claim(order, "77", "two", "").refused(400, "ORDER_ALREADY_CLAIMED");
    shop.claim("order_77_zzzzzzzzzzzzzzzzzzzzzzzzzz", "77", "one", "")
        .refused(400, "ORDER_NOT_FOUND");
  }
}
