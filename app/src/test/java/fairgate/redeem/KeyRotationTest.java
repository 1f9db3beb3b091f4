package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.redeem.RedeemTestServer.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Keys change under codes that are in people's hands.
class KeyRotationTest {
  private static final String OLD =
      "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  private static final String NEW =
      "k2:202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";

  @Test
  void codesAreSealedAnewAndStillGood() {
    PostgresAddress database = TestEngines.shared().freshDatabase();
    List<String> codes = new ArrayList<>();
    String browser = claimed(database, codes);
    renewed(database, codes, browser);
    // The old key is gone for good: what it had sealed is nobody's loss.
    try (RedeemTestServer later = RedeemTestServer.on(database, Map.of("master_secret", NEW))) {
      assertThat(activate(later, codes.get(2), "mine", "").status()).isEqualTo(200);
      activate(later, codes.get(1), "other", "").refused(409, "CODE_STATE_CONFLICT");
    }
  }

  /// Five codes under the old key; the browser that has them.
  private static String claimed(PostgresAddress database, List<String> codes) {
    try (RedeemTestServer before = RedeemTestServer.on(database, Map.of("master_secret", OLD))) {
      before.product("basic", 30);
      String browser = before.browser();
      for (int i = 0; i < 5; i++) {
        before.order("taobao", "TB2026010800000" + i, "basic", "paid");
        codes.add(before.claim("TB2026010800000" + i, "basic", "mine", browser).code());
      }
      return browser;
    }
  }

  /// Both keys for a while: codes are given again, used, and sealed anew meanwhile.
  private static void renewed(PostgresAddress database, List<String> codes, String browser) {
    try (RedeemTestServer after =
        RedeemTestServer.on(database, Map.of("master_secret", NEW + "," + OLD))) {
      Answer again = after.claim("TB20260108000000", "basic", "mine", browser);
      assertThat(again.code()).isEqualTo(codes.getFirst());
      assertThat(again.replayed()).isTrue();
      RedeemTestServer.eventually(
          () ->
              after.value("SELECT count(*) FROM redemption_codes WHERE key_id = 'k2'").equals("5"));
      assertThat(activate(after, codes.get(1), "mine", browser).status()).isEqualTo(200);
    }
  }

  private static Answer activate(RedeemTestServer shop, String code, String device, String cookie) {
    String body = "{\"code\":\"%s\",\"device_id\":\"%s\"}".formatted(code, device);
    return cookie.isEmpty()
        ? shop.post("/api/redeem/activate", body)
        : shop.post("/api/redeem/activate", body, "Cookie", cookie);
  }
}
