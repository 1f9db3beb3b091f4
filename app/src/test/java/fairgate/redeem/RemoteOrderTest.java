package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.redeem.RedeemTestServer.Answer;
import fairgate.testkit.FakeOrderSystem;
import fairgate.testkit.FakeOrderSystem.Fault;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Orders that only the seller's order system knows, over HTTP.
class RemoteOrderTest {
  private static FakeOrderSystem system;
  private static RedeemTestServer shop;

  @BeforeAll
  static void open() {
    system = FakeOrderSystem.start();
    shop =
        RedeemTestServer.open(
            Map.of(
                "limits", "on",
                "redeem.claims_per_minute", "0",
                "redeem.claims_per_day", "0",
                "redeem.misses_per_hour", "0",
                "redeem.ban_after_misses", "1",
                "order_system.url", system.url(),
                "order_system.token", FakeOrderSystem.TOKEN,
                "order_system.timeout_ms", "3000"));
    shop.product("basic", 30);
  }

  @AfterAll
  static void close() {
    shop.close();
    system.close();
    TestEngines.shared().flushRedis();
  }

  @BeforeEach
  void well() {
    system.always(null);
    TestEngines.shared().flushRedis();
  }

  @Test
  void aRemoteOrderIsRedeemedOnceWhateverPlatformTheCallerNames() {
    system.putPaid("3211058044792473088", "basic");
    String browser = shop.browser();
    Answer first = shop.claim("3211058044792473088", "basic", "mine", browser);
    assertThat(shop.claim("3211058044792473088", "basic", "mine", browser).code())
        .isEqualTo(first.code());
    for (String platform : new String[] {"taobao", "douyin", "generic"}) {
      shop.claim(
              "{\"order_id\":\"3211058044792473088\",\"product_id\":\"basic\","
                  + "\"device_id\":\"other\",\"platform\":\""
                  + platform
                  + "\"}",
              "")
          .refused(400, "ORDER_ALREADY_CLAIMED");
    }
    assertThat(
            shop.value(
                "SELECT platform || ' ' || status FROM orders WHERE order_id = ?",
                "3211058044792473088"))
        .isEqualTo("remote paid");
  }

  @Test
  void aMissIsAMiss() {
    shop.claim("TB20260108123456789", "basic", "guesser", "").refused(400, "ORDER_NOT_FOUND");
    shop.claim("TB20260108123456789", "basic", "guesser", "").refused(403, "CLIENT_BANNED");
  }

  @Test
  void unpaidAndOtherProductsAreToldApart() {
    system.put("TB1000000000001", "{\"product_id\":\"basic\",\"status\":\"pending\"}");
    system.putPaid("TB1000000000002", "standard");
    shop.claim("TB1000000000001", "basic", "one", "").refused(400, "ORDER_NOT_PAID");
    shop.claim("TB1000000000002", "basic", "one", "").refused(400, "ORDER_PRODUCT_MISMATCH");
  }

  @Test
  void anOutageIsHeldAgainstNobody() {
    system.putPaid("TB1000000000003", "basic");
    for (Fault trouble : new Fault[] {Fault.STATUS_500, Fault.STATUS_401, Fault.SILENT}) {
      system.always(trouble);
      Answer away = shop.claim("TB1000000000003", "basic", "unlucky", "");
      away.refused(503, "SERVICE_UNAVAILABLE");
      assertThat(away.raw().headers().firstValueAsLong("retry-after").orElseThrow()).isPositive();
    }
    system.always(null);
    assertThat(shop.claim("TB1000000000003", "basic", "unlucky", "").code()).isNotEmpty();
    // Failures come in order, so that of the last refusal would be there before the marker's.
    shop.claim("TB1999999999999", "basic", "marker", "").refused(400, "ORDER_NOT_FOUND");
    RedeemTestServer.eventually(
        () ->
            !shop.sql("SELECT 1 FROM order_verification_failures WHERE device_id = 'marker'")
                .isEmpty());
    assertThat(shop.sql("SELECT 1 FROM order_verification_failures WHERE device_id = 'unlucky'"))
        .isEmpty();
  }

  @Test
  void anOrderWithAnErrorIsToldSoAndOtherOrdersGoOn() {
    String order = "{\"product_id\":\"basic\",\"status\":\"paid\",\"expires_at\":\"%s\"}";
    for (String date : new String[] {"2026-02-31", "soon", "2026-02-31T10:00:00"}) {
      system.put("TB1000000000044", order.formatted(date));
      // More often than the circuit breaker permits failures, and than misses are permitted.
      for (int i = 0; i < 6; i++) {
        shop.claim("TB1000000000044", "basic", "unlucky", "").refused(400, "ORDER_UNREADABLE");
      }
    }
    system.put("TB1000000000044", order.formatted("2099-02-28"));
    assertThat(shop.claim("TB1000000000044", "basic", "unlucky", "").code()).isNotEmpty();
  }

  @Test
  void anOutageCostsNoAttempt() {
    Map<String, String> settings =
        Map.of(
            "limits", "on",
            "redeem.claims_per_minute", "2",
            "redeem.claims_per_day", "2",
            "redeem.claims_per_order", "2",
            "order_system.url", system.url(),
            "order_system.token", FakeOrderSystem.TOKEN);
    system.putPaid("TB1000000000005", "basic");
    try (RedeemTestServer tight = RedeemTestServer.on(shop.database(), settings)) {
      system.always(Fault.STATUS_500);
      for (int i = 0; i < 3; i++) {
        tight.claim("TB1000000000005", "basic", "patient", "").refused(503, "SERVICE_UNAVAILABLE");
      }
      system.always(null);
      assertThat(tight.claim("TB1000000000005", "basic", "patient", "").code()).isNotEmpty();
      tight.claim("TB1000000000005", "basic", "patient", "").refused(400, "ORDER_ALREADY_CLAIMED");
      tight.claim("TB1000000000005", "basic", "patient", "").refused(429, "RATE_LIMIT_EXCEEDED");
    }
  }

  @Test
  void anOrderOnAnotherPlatformThanItLooksLikeIsRedeemedOnceAndAskedForOnce() {
    String number = "TB1000000000006";
    system.put(
        number, "{\"product_id\":\"basic\",\"status\":\"paid\",\"platform\":\"xiaohongshu\"}");
    String browser = shop.browser();
    String code = shop.claim(number, "basic", "mine", browser).code();
    assertThat(shop.claim(number, "basic", "mine", browser).code()).isEqualTo(code);
    for (int i = 0; i < 25; i++) {
      shop.claim(number, "basic", "other" + i, "").refused(400, "ORDER_ALREADY_CLAIMED");
    }
    // One for the claim, its repeat and the first stranger each.
    assertThat(system.calls()).filteredOn(call -> call.endsWith(number)).hasSize(3);
  }

  @Test
  void whatIsImportedIsNotAskedFor() {
    shop.order("taobao", "TB1000000000004", "basic", "paid");
    system.always(Fault.STATUS_500);
    assertThat(shop.claim("TB1000000000004", "basic", "one", "").code()).isNotEmpty();
    assertThat(system.calls()).doesNotContain("/api/orders/TB1000000000004");
  }
}
