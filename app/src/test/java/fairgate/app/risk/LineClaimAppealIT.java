package fairgate.app.risk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A claim that risk refuses in LINE has the address of its appeal.
class LineClaimAppealIT {
  private static final String SECRET = "secret-of-the-line-channel-123456";
  private static final Pattern APPEAL =
      Pattern.compile("https://shop\\.example(/appeal/[A-Za-z0-9_-]+)");
  private static final String BUNDLE =
      """
      {"format": 1, "schema": 1, "name": "claims", "bands": {
        "low": {"action": "pass"}, "medium": {"from": 20, "action": "silent_check"},
        "high": {"from": 50, "action": "seat_behind"}, "severe": {"from": 80, "action": "hold"},
        "critical": {"from": 100, "action": "refuse"}},
       "rules": [{"code": "claims", "when": "route == 'claim' && !phone_verified", "points": 100,
        "reason": "network", "help": ["verify_phone"], "text": {"en": "a", "zh-Hant": "b", "zh-Hans": "c"}}]}
      """;

  @Test
  void aRefusedClaimLeadsToItsAppeal(@TempDir Path folder) throws IOException {
    Path bundle = Files.writeString(folder.resolve("bundle.json"), BUNDLE);
    try (FakeLine line = FakeLine.start(SECRET, "token", Clock.systemUTC());
        TestFairgate server =
            TestFairgate.start(
                TestEngines.shared(),
                TestEngines.shared().freshDatabase(),
                Map.of(
                    "risk.mode",
                    "enforce",
                    "risk.bundle",
                    bundle.toString(),
                    "line.api_url",
                    line.url(),
                    "line.channel_secret",
                    SECRET,
                    "line.channel_token",
                    "token",
                    "line.shop_url",
                    "https://shop.example"))) {
      String user = LineEvents.userId("somebody");
      ObjectNode claim =
          line.events().text(From.user(user), "order_3901_01kb0000000000000000000000");
      assertThat(line.send(URI.create(server.baseUrl() + "/line/webhook"), claim)).isEqualTo(200);
      Matcher appeal = APPEAL.matcher(line.await(user, 1).toString());
      assertThat(appeal.find()).as(line.shown(user).toString()).isTrue();
      assertThat(line.shown(user).toString())
          .as("the reason, and what would help")
          .containsPattern("The network looks like|網路看起來像")
          .containsPattern("Verify a telephone number|驗證電話");
      String form = "text=IBoughtItMyself";
      String url = appeal.group(1);
      // 200 for one whose first answer came too late.
      Eventually.await(
          "the decision is recorded",
          () ->
              server.call("POST", url, form, "Sec-Fetch-Site", "same-origin").statusCode() <= 201);
    }
  }
}
