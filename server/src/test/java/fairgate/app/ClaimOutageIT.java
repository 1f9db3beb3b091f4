package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.redeem.Shop;
import fairgate.redeem.Shop.Answer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/// PostgreSQL dies under claims, and Redis stands still: nobody is told anything wrong.
class ClaimOutageIT {
  private static final String ORDER = "TB20260108123456789";

  @Test
  void claimsWaitForTheirEngines() {
    try (TestEngines engines = TestEngines.privateEngines();
        Shop shop =
            Shop.on(
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

  private static Answer claimUntilGiven(Shop shop, String browser) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    Answer answer = shop.claim(ORDER, "basic", "mine", browser);
    while (answer.status() != 200) {
      answer.refused(503, "SERVICE_UNAVAILABLE");
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
      answer = shop.claim(ORDER, "basic", "mine", browser);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return answer;
  }
}
