package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.testkit.line.FakeLine.Fault;
import fairgate.testkit.line.FakeLine.Shown;
import fairgate.testkit.line.LineEvents.From;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The quota of pushes, which cost money.
final class LineQuotaTest {
  private static ObjectNode late(LineWorld world, From who) {
    ObjectNode event = world.events().text(who, "help");
    return event.put("timestamp", event.path("timestamp").asLong() - 55_000);
  }

  private static double quota(LineWorld world) {
    return world.meter("fairgate_line_answers_total{how=\"quota\"}");
  }

  @Test
  void beyondTheConfiguredLimitRepliesContinueAndPushesStop() {
    try (LineWorld world = LineWorld.start(Map.of("line.push_quota", "1"))) {
      From who = LineWorld.somebody();
      assertThat(world.answer(who, late(world, who))).contains("天氣");
      LineWorld.await(() -> world.meter("fairgate_line_pushes_month") == 1);
      world.idle();
      // A push is allowed while Redis does not answer within half a second.
      LineWorld.await(
          () -> {
            assertThat(world.send(late(world, who))).isEqualTo(200);
            world.idle();
            return quota(world) == 1;
          });
      int pushes = world.line.calls("/v2/bot/message/push").size();
      assertThat(world.says(who, "help")).contains("天氣");
      assertThat(world.line.calls("/v2/bot/message/push")).hasSize(pushes);
      assertThat(world.line.shown(String.valueOf(who.chat())))
          .extracting(Shown::how)
          .containsOnlyOnce("reply")
          .endsWith("reply");
    }
  }

  @Test
  void afterLineReportsTheMonthlyLimitNoPushIsTried() {
    try (LineWorld world = LineWorld.start(Map.of())) {
      From who = LineWorld.somebody();
      world.line.next(Fault.MONTHLY_LIMIT);
      assertThat(world.send(late(world, who))).isEqualTo(200);
      LineWorld.await(() -> quota(world) == 1);
      world.idle();
      assertThat(world.send(late(world, who))).isEqualTo(200);
      LineWorld.await(() -> quota(world) == 2);
      assertThat(world.line.calls("/v2/bot/message/push")).hasSize(1);
      assertThat(world.meter("fairgate_line_refusals_total{cause=\"quota\",endpoint=\"push\"}"))
          .isEqualTo(1);
    }
  }

  @Test
  void aRateLimitedPushIsRetriedWithTheSameKey() {
    try (LineWorld world = LineWorld.start(Map.of())) {
      From who = LineWorld.somebody();
      world.line.next(Fault.RATE_LIMIT, Fault.RATE_LIMIT);
      assertThat(world.answer(who, late(world, who))).contains("天氣");
      assertThat(world.line.calls("/v2/bot/message/push"))
          .extracting(call -> call.retryKey())
          .hasSize(3)
          .containsOnly(world.line.calls("/v2/bot/message/push").getFirst().retryKey());
    }
  }
}
