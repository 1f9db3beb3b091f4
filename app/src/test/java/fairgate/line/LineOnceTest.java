package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.TestFairgate;
import fairgate.line.Delivery.RetryKey;
import fairgate.testkit.line.FakeLine.Fault;
import fairgate.testkit.line.FakeLine.ReceivedCall;
import fairgate.testkit.line.FakeLine.Shown;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Every event gets exactly one answer.
@Tag("journey")
final class LineOnceTest {
  private static final String REPLY = "/v2/bot/message/reply";
  private static final String PUSH = "/v2/bot/message/push";
  private static LineWorld world;

  @BeforeAll
  static void start() {
    world =
        LineWorld.start(Map.of("line.lease_seconds", "1", "processing_lock.timeout_seconds", "1"));
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  private static String chat(From who) {
    return String.valueOf(who.chat());
  }

  private static List<ReceivedCall> pushes(From who) {
    return world.line.calls(PUSH).stream()
        .filter(call -> call.body().path("to").asText().equals(who.chat()))
        .toList();
  }

  /// A question whose reply token has expired.
  private static ObjectNode late(From who) {
    ObjectNode event = world.events().text(who, "help");
    return event.put("timestamp", event.path("timestamp").asLong() - 55_000);
  }

  @Test
  void aDuplicateIsNotAnswered() {
    From who = LineWorld.somebody();
    ObjectNode event = world.events().text(who, "help");
    double before = world.meter("fairgate_line_events_total{outcome=\"duplicate\"}");
    assertThat(world.send(event, event)).isEqualTo(200);
    assertThat(world.send(event)).isEqualTo(200);
    assertThat(world.send(LineEvents.again(event))).isEqualTo(200);
    assertThat(world.line.await(chat(who), 1)).hasSize(1);
    world.idle();
    assertThat(world.line.shown(chat(who))).hasSize(1);
    // A webhook that was sent again, because Redis did not answer in time, counts once more.
    assertThat(world.meter("fairgate_line_events_total{outcome=\"duplicate\"}") - before)
        .isGreaterThanOrEqualTo(3);
  }

  @Test
  void anEventThatReachesTwoNodesIsAnsweredByOne() {
    try (TestFairgate other = world.node()) {
      List<ObjectNode> all = new ArrayList<>();
      List<CompletableFuture<Integer>> sent = new ArrayList<>();
      From who = LineWorld.somebody();
      for (int i = 0; i < 20; i++) {
        ObjectNode event = world.events().follow(who);
        all.add(event);
        sent.add(CompletableFuture.supplyAsync(() -> world.send(event)));
        sent.add(CompletableFuture.supplyAsync(() -> world.send(other, event)));
      }
      assertThat(sent).allMatch(one -> one.join() == 200);
      assertThat(world.line.await(chat(who), all.size())).hasSize(all.size());
      world.idle();
      assertThat(world.line.shown(chat(who))).hasSize(all.size());
    }
  }

  @Test
  void anotherNodeAnswersTheEventsOfADeadNode() {
    From who = LineWorld.somebody();
    double before = world.meter("fairgate_line_events_total{outcome=\"rerun\"}");
    world.weather.hold();
    try (TestFairgate other = world.node()) {
      ObjectNode event = world.events().text(who, "台北");
      assertThat(world.send(other, event)).isEqualTo(200);
      world.weather.awaitQuestion();
    }
    world.weather.release();
    assertThat(world.line.await(chat(who), 1).getFirst().message().toString()).contains("臺北市");
    world.idle();
    assertThat(world.line.shown(chat(who))).hasSize(1);
    assertThat(world.meter("fairgate_line_events_total{outcome=\"rerun\"}")).isGreaterThan(before);
  }

  @Test
  void aLateAnswerIsPushedWithAKeyDerivedFromTheEvent() {
    From who = LineWorld.somebody();
    ObjectNode event = late(who);
    double before = world.meter("fairgate_line_push_fallbacks_total");
    assertThat(world.answer(who, event)).contains("天氣");
    assertThat(world.line.shown(chat(who)).getFirst().how()).isEqualTo("push");
    assertThat(pushes(who).getFirst().retryKey())
        .isEqualTo(RetryKey.of(event.path("webhookEventId").asText()).toString());
    assertThat(world.meter("fairgate_line_push_fallbacks_total") - before).isEqualTo(1);
  }

  @Test
  void anEventRedeliveredAfterHoursIsNotPushed() {
    From who = LineWorld.somebody();
    ObjectNode event = LineEvents.again(world.events().text(who, "help"));
    event.put("timestamp", event.path("timestamp").asLong() - 5 * 3_600_000L);
    double before = world.meter("fairgate_line_answers_total{how=\"stale\"}");
    assertThat(world.send(event)).isEqualTo(200);
    LineWorld.await(() -> world.meter("fairgate_line_answers_total{how=\"stale\"}") == before + 1);
    assertThat(pushes(who)).isEmpty();
    assertThat(world.line.shown(chat(who))).isEmpty();
  }

  @Test
  void aPushWithALostResponseIsRetriedAndShownOnce() {
    From who = LineWorld.somebody();
    world.line.next(Fault.FORGETFUL);
    assertThat(world.answer(who, late(who))).contains("天氣");
    world.line.await(() -> pushes(who).size() >= 2, "a second try");
    world.idle();
    // A paused node may lose its lease of a second, and then tries once more.
    assertThat(pushes(who)).extracting(ReceivedCall::status).startsWith(500, 409);
    assertThat(pushes(who).stream().skip(1)).allMatch(call -> call.status() == 409);
    assertThat(pushes(who))
        .extracting(ReceivedCall::retryKey)
        .doesNotContain("")
        .containsOnly(pushes(who).getFirst().retryKey());
    assertThat(world.line.shown(chat(who))).hasSize(1);
  }

  @Test
  void aReplyWithALostResponseIsRetriedAndShownOnce() {
    From who = LineWorld.somebody();
    world.line.next(Fault.FORGETFUL);
    assertThat(world.says(who, "help")).contains("天氣");
    world.idle();
    assertThat(world.line.shown(chat(who))).extracting(Shown::how).containsExactly("reply");
    assertThat(pushes(who)).isEmpty();
  }

  @Test
  void anOutageOfLineLosesNoAnswer() {
    From who = LineWorld.somebody();
    world.line.next(Fault.STATUS_500, Fault.RATE_LIMIT);
    assertThat(world.says(who, "help")).contains("天氣");
    world.idle();
    assertThat(world.line.shown(chat(who))).extracting(Shown::how).containsExactly("reply");
    assertThat(world.meter("fairgate_line_refusals_total{cause=\"rate\",endpoint=\"reply\"}"))
        .isPositive();
  }

  @Test
  void aSlowResponseOfLineDelaysOneAnswerOnly() {
    From one = LineWorld.somebody();
    From other = LineWorld.somebody();
    world.line.next(Fault.HELD);
    assertThat(world.send(world.events().text(one, "help"))).isEqualTo(200);
    assertThat(world.send(world.events().text(other, "help"))).isEqualTo(200);
    // LINE delays the first call that arrives.
    world.line.await(
        () -> world.line.shown(chat(one)).size() + world.line.shown(chat(other)).size() == 1,
        "the answer that is not held");
    world.line.release();
    assertThat(world.line.await(chat(one), 1)).hasSize(1);
    assertThat(world.line.await(chat(other), 1)).hasSize(1);
  }

  @Test
  void aReplyWithAnUnusedRefusedTokenIsPushed() {
    From who = LineWorld.somebody();
    ObjectNode event = world.events().text(who, "help");
    String body = LineEvents.webhook(event);
    assertThat(world.line.post(world.webhook(), body, LineWorld.SECRET)).isEqualTo(200);
    assertThat(world.line.await(chat(who), 1).getFirst().how()).isEqualTo("push");
  }

  @Test
  void answersHeldBackByAWrongAccessTokenAreSentAfterItsCorrection() {
    From who = LineWorld.somebody();
    world.line.next(Fault.UNAUTHORIZED);
    assertThat(world.says(who, "help")).contains("天氣");
    world.idle();
    assertThat(world.line.shown(chat(who))).hasSize(1);
    assertThat(world.meter("fairgate_line_events_total{outcome=\"rerun\"}")).isPositive();
  }

  @Test
  void repliesCarryNoRetryKey() {
    From who = LineWorld.somebody();
    assertThat(world.says(who, "help")).contains("天氣");
    assertThat(world.line.calls(REPLY)).isNotEmpty().allMatch(call -> call.retryKey().isEmpty());
  }
}
