package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.TestFairgate;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class LineWebhookTest {
  private static final int MORE_THAN_ARE_WORKED_ON = 300;

  private static LineWorld world;

  @BeforeAll
  static void start() {
    world = LineWorld.start(Map.of());
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  @AfterEach
  void weatherIsFine() {
    world.weather.release();
  }

  @Test
  void onlyLineCanCallTheWebhook() {
    String body = LineEvents.webhook();
    String right = FakeLine.signature(LineWorld.SECRET, body);
    double before = world.meter("fairgate_line_signature_failures_total");
    assertThat(world.line.postSigned(world.webhook(), body, right)).isEqualTo(200);
    assertThat(world.line.post(world.webhook(), body, LineWorld.OLD_SECRET)).isEqualTo(200);
    assertThat(world.line.post(world.webhook(), body, "another secret")).isEqualTo(401);
    assertThat(world.line.postSigned(world.webhook(), body, null)).isEqualTo(401);
    assertThat(world.line.postSigned(world.webhook(), body, "")).isEqualTo(401);
    assertThat(world.line.postSigned(world.webhook(), body, "no base64 at all !!")).isEqualTo(401);
    assertThat(world.line.postSigned(world.webhook(), body, "?".repeat(44))).isEqualTo(401);
    assertThat(world.line.postSigned(world.webhook(), body + " ", right)).isEqualTo(401);
    assertThat(world.meter("fairgate_line_signature_failures_total") - before).isEqualTo(6);
  }

  @Test
  void theRefusalHasACode() {
    HttpResponse<String> answer = world.server.call("POST", "/line/webhook", "{}");
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("\"error\":\"UNAUTHORIZED\"");
  }

  @Test
  void theSignatureCoversTheRawBytes() {
    String body = "{ \"events\" :\n [ ], \"destination\":\"\\u53f0\" }";
    assertThat(world.line.post(world.webhook(), body, LineWorld.SECRET)).isEqualTo(200);
  }

  @Test
  void aSignedBodyThatIsNotJsonIsRefused() {
    assertThat(world.line.post(world.webhook(), "", LineWorld.SECRET)).isEqualTo(400);
    assertThat(world.line.post(world.webhook(), "{\"events\":", LineWorld.SECRET)).isEqualTo(400);
    assertThat(world.line.post(world.webhook(), "[]", LineWorld.SECRET)).isEqualTo(400);
  }

  @Test
  void malformedEventsAreAcknowledgedAndSkipped() {
    for (String events :
        List.of(
            "[]",
            "null",
            "{}",
            "[1, null, \"x\", {}]",
            "[{\"type\":\"message\"}]",
            "[{\"type\":7,\"webhookEventId\":\"a\",\"timestamp\":\"now\"}]",
            "[{\"type\":\"message\",\"message\":{\"type\":\"text\"},\"timestamp\":1,"
                + "\"webhookEventId\":\"01\"}]")) {
      String body = "{\"destination\":\"U\",\"events\":" + events + "}";
      assertThat(world.line.post(world.webhook(), body, LineWorld.SECRET)).as(body).isEqualTo(200);
    }
  }

  @Test
  void unknownTypesStandbyAndStickersAreNotAnswered() {
    From who = LineWorld.somebody();
    ObjectNode standby = world.events().text(who, "help");
    standby.put("mode", "standby");
    ObjectNode sticker = world.events().event("message", who);
    sticker.putObject("message").put("type", "sticker").put("id", "1");
    assertThat(
            world.send(
                standby,
                sticker,
                world.events().event("unsend", who),
                world.events().event("videoPlayComplete", who),
                world.events().event("somethingNew2031", who)))
        .isEqualTo(200);
    assertThat(world.says(who, "help")).contains("天氣");
    assertThat(world.line.shown(String.valueOf(who.chat()))).hasSize(1);
  }

  @Test
  void groupsAndRoomsAreAnsweredWithoutAUserId() {
    From group = From.group("C" + "1".repeat(32), null);
    From room = From.room("R" + "2".repeat(32), null);
    assertThat(world.says(group, "/台北天氣")).contains("臺北市");
    assertThat(world.says(room, "/sales")).contains("目前沒有");
  }

  @Test
  void inAGroupTheBotAnswersOnlyWhenAddressed() {
    From group = From.group("C" + "3".repeat(32), LineEvents.userId("anna"));
    assertThat(world.send(world.events().text(group, "good morning"))).isEqualTo(200);
    assertThat(world.send(world.events().text(group, "123456789012345678"))).isEqualTo(200);
    assertThat(world.send(world.events().text(group, "台北天氣"))).isEqualTo(200);
    assertThat(world.send(world.events().text(group, "help"))).isEqualTo(200);
    assertThat(world.answer(group, world.events().mention(group, "@bot 高雄"))).contains("高雄市");
    world.idle();
    assertThat(world.line.shown("C" + "3".repeat(32))).hasSize(1);
  }

  @Test
  void theWebhookIsAcknowledgedBeforeTheWorkEnds() {
    From who = LineWorld.somebody();
    world.weather.hold();
    assertThat(world.send(world.events().text(who, "台北"))).isEqualTo(200);
    world.weather.awaitQuestion();
    assertThat(world.line.shown(String.valueOf(who.chat()))).isEmpty();
    world.weather.release();
    assertThat(world.line.await(String.valueOf(who.chat()), 1)).hasSize(1);
    assertThat(world.meter("fairgate_line_ack_seconds_count")).isPositive();
  }

  @Test
  void allWebhooksAreAcknowledgedWhileManyEventsHang() {
    List<From> people =
        Stream.generate(LineWorld::somebody).limit(MORE_THAN_ARE_WORKED_ON).toList();
    world.weather.hold();
    for (From who : people) {
      assertThat(world.send(world.events().text(who, "台北"))).isEqualTo(200);
    }
    world.weather.awaitQuestion();
    world.weather.release();
    for (From who : people) {
      assertThat(world.line.await(String.valueOf(who.chat()), 1)).isNotEmpty();
    }
    world.idle();
    assertThat(people)
        .allSatisfy(who -> assertThat(world.line.shown(String.valueOf(who.chat()))).hasSize(1));
  }

  @Test
  void withoutASecretNoSignatureIsValid() {
    try (TestFairgate bare = TestFairgate.start()) {
      String body = LineEvents.webhook();
      assertThat(world.line.post(LineWorld.webhook(bare), body, " ")).isEqualTo(401);
      assertThat(world.line.post(LineWorld.webhook(bare), body, LineWorld.SECRET)).isEqualTo(401);
    }
  }
}
