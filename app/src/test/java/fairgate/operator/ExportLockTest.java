package fairgate.operator;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.admin.ExportLock;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

final class ExportLockTest {
  private static final String KEY = ExportLock.KEY + "operator@127.0.0.1";

  private static String redis(String... command) {
    return RespConnection.call(TestEngines.shared().redisUri(), command);
  }

  private static HttpResponse<String> export(TestFairgate server) {
    return server.call(
        "GET", "/api/admin/redeem/export", "", "Authorization", "Bearer " + TestFairgate.OPERATOR);
  }

  @Test
  void aSecondExportIsRefusedDuringTheFirst() {
    try (TestFairgate server = TestFairgate.start()) {
      assertThat(redis("SET", KEY, "another node", "PX", "60000")).isEqualTo("OK");
      // A node decides alone while Redis does not answer within a quarter of a second.
      HttpResponse<String> refused =
          Eventually.get("a refusal", () -> export(server), answer -> answer.statusCode() == 503);
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      assertThat(redis("DEL", KEY)).isEqualTo("1");
      // Released at the end of the file, so the exports run one after the other.
      for (int i = 0; i < 3; i++) {
        assertThat(export(server).statusCode()).isEqualTo(200);
        Eventually.await("the lock is released", () -> redis("EXISTS", KEY).equals("0"));
      }
    }
  }
}
