package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.redeem.RedeemTestServer.Answer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Signatures, and refusals that tell nothing.
class UniformErrorsTest {
  @Test
  void aClaimWithoutItsSignatureIsRefused() {
    try (RedeemTestServer shop =
        RedeemTestServer.open(
            Map.of("redeem.signature", "on", "redeem.signature_keys", "a:secret"))) {
      shop.product("basic", 30);
      shop.order("taobao", "TB20260108000000001", "basic", "paid");
      shop.claim("TB20260108000000001", "basic", "one", "").refused(400, "INVALID_SIGNATURE");
      String signature =
          ClaimSignature.sign(
              "a",
              "secret",
              Instant.now(java.time.Clock.systemUTC()).getEpochSecond() + 600,
              "TB20260108000000001",
              "basic");
      assertThat(
              shop.claim(
                      "{\"order_id\":\"TB20260108000000001\",\"product_id\":\"basic\","
                          + "\"device_id\":\"one\",\"signature\":\"%s\"}".formatted(signature),
                      "")
                  .code())
          .isNotEmpty();
    }
  }

  @Test
  void aMissingSignatureIsNoMissAndOwnOrdersNeedNone() {
    try (RedeemTestServer shop =
        RedeemTestServer.open(
            Map.of(
                "redeem.signature", "on",
                "redeem.signature_keys", "a:secret",
                "limits", "on",
                "redeem.ban_after_misses", "1"))) {
      shop.product("basic", 30);
      String browser = shop.browser();
      for (int i = 0; i < 3; i++) {
        shop.claim("TB20260108000000001", "basic", "one", browser)
            .refused(400, "INVALID_SIGNATURE");
      }
      shop.claim("order_1_00000000000000000000000001", "basic", "one", browser)
          .refused(400, "ORDER_NOT_FOUND");
    } finally {
      TestEngines.shared().flushRedis();
    }
  }

  @Test
  void uniformRefusalsDifferInNothing() {
    try (RedeemTestServer shop = RedeemTestServer.open(Map.of("redeem.uniform_errors", "on"))) {
      shop.product("basic", 30);
      shop.order("taobao", "TB20260108000000001", "basic", "pending");
      shop.order("taobao", "TB20260108000000002", "other", "paid");
      shop.order("taobao", "TB20260108000000003", "basic", "refunded");
      shop.order("taobao", "TB20260108000000004", "basic", "paid");
      assertThat(shop.claim("TB20260108000000004", "basic", "first", "").code()).isNotEmpty();
      List<String> bodies = new ArrayList<>();
      for (int i = 1; i <= 5; i++) {
        Answer refused = shop.claim("TB2026010800000000" + i, "basic", "one", "");
        refused.refused(400, "ORDER_NOT_FOUND");
        ((ObjectNode) refused.body()).remove("request_id");
        bodies.add(refused.body().toString());
      }
      assertThat(bodies).containsOnly(bodies.getFirst());
      RedeemTestServer.eventually(
          () ->
              shop.value(
                      "SELECT string_agg(failure_reason, ' ' ORDER BY id)"
                          + " FROM order_verification_failures")
                  .equals(
                      "ORDER_NOT_PAID ORDER_PRODUCT_MISMATCH ORDER_REVOKED ORDER_ALREADY_CLAIMED"
                          + " ORDER_NOT_FOUND"));
    }
  }

  @Test
  void countingDoesNotTellThemApartEither() {
    Map<String, String> settings =
        Map.of(
            "limits", "on",
            "redeem.uniform_errors", "on",
            "redeem.claims_per_minute", "0",
            "redeem.misses_per_hour", "2");
    TestEngines.shared().flushRedis();
    try (RedeemTestServer shop = RedeemTestServer.open(settings)) {
      shop.product("basic", 30);
      for (int i = 1; i <= 3; i++) {
        shop.order("taobao", "TB2026010800000000" + i, "basic", "pending");
      }
      for (int i = 1; i <= 2; i++) {
        shop.claim("TB2026010800000000" + i, "basic", "one", "").refused(400, "ORDER_NOT_FOUND");
      }
      shop.claim("TB20260108000000003", "basic", "one", "").refused(429, "RATE_LIMIT_EXCEEDED");
    } finally {
      TestEngines.shared().flushRedis();
    }
  }

  @Test
  void refusalsComeOnAGridWhateverTheyTook() {
    assertThat(UniformErrors.restNanos(0, 1_000)).isEqualTo(1_000);
    assertThat(UniformErrors.restNanos(1, 1_000)).isEqualTo(999);
    assertThat(UniformErrors.restNanos(999, 1_000)).isEqualTo(1);
    assertThat(UniformErrors.restNanos(1_000, 1_000)).isEqualTo(1_000);
    assertThat(UniformErrors.restNanos(2_300, 1_000)).isEqualTo(700);
  }
}
