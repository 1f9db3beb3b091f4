package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.testkit.line.FakeLine.Shown;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The bot without Redis: it works on this node alone and reports it.
final class LineWithoutRedisTest {
  private static boolean health(LineWorld world, String what) {
    return world.server.call("GET", "/health/ready", "").body().contains(what);
  }

  @Test
  void theBotWorksWithoutRedisAndRecoversAfterwards() {
    try (TestEngines engines = TestEngines.privateEngines();
        LineWorld world =
            LineWorld.start(engines, Map.of("processing_lock.timeout_seconds", "600"))) {
      From who = LineWorld.somebody();
      assertThat(world.says(who, "台北")).contains("臺北市");
      world.idle();
      engines.killRedis();
      ObjectNode event = askedAlone(world, who);
      engines.restartRedis();
      LineWorld.await(() -> !health(world, "\"redis\":{\"status\":\"down\""));
      // Each event loop connects on its own.
      LineWorld.await(() -> world.send(LineEvents.again(event)) == 200);
      LineWorld.await(() -> world.send(world.events().text(who, "Tokyo")) == 200);
      LineWorld.await(
          () ->
              world
                  .line
                  .shown(String.valueOf(who.chat()))
                  .getLast()
                  .message()
                  .toString()
                  .contains("Tokyo"));
      world.idle();
      assertThat(
              world.line.shown(String.valueOf(who.chat())).stream()
                  .filter(one -> one.message().toString().contains("高雄市")))
          .as("taken while Redis was away, brought again after it came back")
          .hasSize(1);
    }
  }

  /// A Redis that is there and does not answer, such as one whose disk hangs.
  @Test
  void whileRedisHangsWebhooksAreAcceptedAndAnsweredOnce() {
    try (TestEngines engines = TestEngines.privateEngines();
        LineWorld world =
            LineWorld.start(engines, Map.of("weather.url", "", "line.lease_seconds", "2"))) {
      From who = LineWorld.somebody();
      assertThat(world.says(who, "help")).contains("語言");
      world.idle();
      ObjectNode event = world.events().text(who, "語言");
      engines.pauseRedis();
      int status;
      long start = System.nanoTime();
      try {
        status = world.line.send(world.webhook(), event);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        assertThat(world.line.await(String.valueOf(who.chat()), 2)).hasSize(2);
        assertThat(health(world, "LINE events are in this node's memory")).isTrue();
      } finally {
        engines.resumeRedis();
      }
      assertThat(status).isEqualTo(200);
      // Redis got the event too, and no node takes it over.
      LineWorld.await(() -> world.send(LineEvents.again(event)) == 200);
      LineWorld.await(() -> world.redis("HLEN", LineKeys.INBOX).equals("0"));
      LineWorld.await(() -> world.says(who, "help").contains("語言"));
      world.idle();
      assertThat(
              world.line.shown(String.valueOf(who.chat())).stream()
                  .filter(one -> one.message().toString().contains("action=speak")))
          .hasSize(1);
      LineWorld.await(() -> !health(world, "LINE events are in this node's memory"));
    }
  }

  /// Sends a question that is processed and a second one that has to wait for it, without Redis;
  /// returns the first.
  private static ObjectNode askedAlone(LineWorld world, From who) {
    ObjectNode event = world.events().text(who, "高雄");
    world.weather.hold();
    // Until the node notices the loss, it refuses webhooks and LINE redelivers them.
    LineWorld.await(() -> world.send(event) == 200);
    world.weather.awaitQuestion();
    ObjectNode next = world.events().text(who, "Tokyo");
    assertThat(world.send(next, LineEvents.again(event))).isEqualTo(200);
    List<Shown> notice = world.line.await(String.valueOf(who.chat()), 2);
    assertThat(notice.get(1).message().toString()).contains("⏳");
    LineWorld.await(() -> health(world, "locks hold on this node only"));
    world.weather.release();
    assertThat(world.line.await(String.valueOf(who.chat()), 3).get(2).message().toString())
        .contains("高雄市");
    assertThat(world.meter("fairgate_line_events_total{outcome=\"alone\"}")).isEqualTo(2);
    world.idle();
    return event;
  }
}
