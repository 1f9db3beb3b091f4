package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.redeem.RedeemTestServer;
import fairgate.redeem.RedeemTestServer.Answer;
import fairgate.testkit.Eventually;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Claims while PostgreSQL dies and Redis stalls: no response is wrong.
class ClaimOutageIT {
  private static final String ORDER = "TB20260108123456789";

  @Test
  void claimsContinueAfterTheirEnginesReturn() {
    try (TestEngines engines = TestEngines.privateEngines();
        RedeemTestServer shop =
            RedeemTestServer.on(
                engines,
                engines.freshDatabase(),
                Map.of(
                    "limits",
                    "on",
                    "redeem.claims_per_minute",
                    "0",
                    "redeem.claims_per_day",
                    "0",
                    "redeem.claims_per_order",
                    "0"))) {
      shop.product("basic", 30);
      shop.order("taobao", ORDER, "basic", "paid");
      String browser = shop.browser();
      engines.killPostgres();
      String code = claimUntilGiven(shop, browser).code();

      engines.pauseRedis();
      shop.claim(ORDER, "basic", "mine", browser).refused(503, "SERVICE_UNAVAILABLE");
      engines.resumeRedis();

      assertThat(claimUntilGiven(shop, browser).code()).isEqualTo(code);
      assertThat(shop.sql("SELECT 1 FROM order_verification_failures")).isEmpty();
    }
  }

  private static Answer claimUntilGiven(RedeemTestServer shop, String browser) {
    return Eventually.get(
        "the code",
        () -> {
          Answer answer = shop.claim(ORDER, "basic", "mine", browser);
          if (answer.status() != 200) {
            answer.refused(503, "SERVICE_UNAVAILABLE");
          }
          return answer;
        },
        answer -> answer.status() == 200);
  }
}
