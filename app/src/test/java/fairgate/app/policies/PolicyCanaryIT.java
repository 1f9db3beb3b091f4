package fairgate.app.policies;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.gate.policy.PolicyWorld;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A policy that refuses everybody, as the canary of a sale that people join.
class PolicyCanaryIT {
  private static final int PEOPLE = 2_000;

  @TempDir private Path folder;

  private static HttpResponse<String> join(TestFairgate server, int person) {
    String address = "%d.%d.%d.1".formatted(20 + person / 250, person % 250, person % 7);
    return server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
        "X-Forwarded-For",
        address);
  }

  @Test
  void itIsStoppedBeforeTwoPercentOfThePeopleMeetIt() throws IOException {
    Path first = Files.writeString(folder.resolve("first.json"), PolicyWorld.usual("first"));
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "server.trusted_proxies",
                "127.0.0.1",
                "risk.mode",
                "enforce",
                "risk.bundle",
                first.toString()))) {
      server.createProduct("7", 5, "{\"preset\": \"queue\", \"active_capacity\": 1}");
      server.openSale("7");
      server.admin("POST", "/policies", PolicyWorld.denyAll());
      server.admin("POST", "/policies/2/canary", "{\"percent\": 100}");
      int refused = 0;
      for (int person = 0; person < PEOPLE; person++) {
        HttpResponse<String> reply = join(server, person);
        if (reply.statusCode() != 200) {
          assertThat(reply.body()).contains("RISK_REFUSED", "decision_id");
          refused++;
        }
      }
      assertThat(refused).isBetween(1, PEOPLE / 50 - 1);
      Eventually.await(
          "the canary is stopped",
          () -> server.admin("GET", "/policies/2", "").contains("\"halted\""));
      assertThat(server.admin("GET", "/policies/2", "")).contains("\"state\":\"retired\"");
      for (int person = 0; person < PEOPLE / 10; person++) {
        assertThat(join(server, PEOPLE + person).statusCode()).isEqualTo(200);
      }
    }
  }
}
