package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.bot.jackson.ModelObjectMapper;
import com.linecorp.bot.messaging.model.PushMessageRequest;
import com.linecorp.bot.messaging.model.ReplyMessageRequest;
import com.linecorp.bot.messaging.model.ShowLoadingAnimationRequest;
import com.linecorp.bot.parser.LineSignatureValidator;
import com.linecorp.bot.parser.WebhookParser;
import com.linecorp.bot.webhook.model.CallbackRequest;
import com.linecorp.bot.webhook.model.Event;
import com.linecorp.bot.webhook.model.UnknownEvent;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.FakeLine.Call;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// LINE's own SDK as a second opinion: on the webhooks the tests send, and on every body the bot
/// sends.
final class LineSdkTest {
  private static final ObjectMapper SDK = ModelObjectMapper.createNewObjectMapper();

  @Test
  void theSdkReadsTheWebhooksTheTestsSend() throws Exception {
    try (FakeLine line = FakeLine.start(LineWorld.SECRET, "t", Clock.systemUTC())) {
      From who = From.user(LineEvents.userId("anna"));
      LineEvents events = line.events();
      ObjectNode[] all = {
        events.text(who, "台北"),
        events.location(who, 25, 121.5),
        events.postback(who, "action=help"),
        events.follow(who),
        events.event("unfollow", who),
        events.mention(From.group("C" + "1".repeat(32), null), "@bot hi")
      };
      String body = LineEvents.webhook(all);
      WebhookParser parser =
          new WebhookParser(
              new LineSignatureValidator(LineWorld.SECRET.getBytes(StandardCharsets.UTF_8)));
      CallbackRequest read =
          parser.handle(
              FakeLine.signature(LineWorld.SECRET, body), body.getBytes(StandardCharsets.UTF_8));
      assertThat(read.events()).hasSize(all.length).noneMatch(UnknownEvent.class::isInstance);
      assertThat(read.events()).extracting(Event::webhookEventId).doesNotHaveDuplicates();
    }
  }

  @Test
  void everyBodyTheBotSendsIsOneTheSdkKnows() throws Exception {
    try (LineWorld world = LineWorld.start(Map.of())) {
      world.server.createProduct("5", 3, "{\"preset\": \"queue\"}");
      world.server.openSale("5");
      From who = LineWorld.somebody();
      for (String text :
          List.of("help", "台北", "Atlantis", "搶購", "順位", "兌換", "語言", "12345678901234567890")) {
        assertThat(world.says(who, text)).isNotEmpty();
        world.idle();
      }
      ObjectNode late = world.events().text(who, "搶購");
      late.put("timestamp", late.path("timestamp").asLong() - 55_000);
      assertThat(world.answer(who, late)).contains("carousel");
      world.line.await(
          () -> !world.line.calls("/v2/bot/chat/loading/start").isEmpty(), "the animation");
      int known = 0;
      for (Call call : world.line.calls()) {
        known += isKnown(call) ? 1 : 0;
      }
      assertThat(known).isGreaterThanOrEqualTo(10);
    }
  }

  /// Reads the body with the SDK and writes it again: what the SDK does not know would be lost.
  private static boolean isKnown(Call call) throws Exception {
    Class<?> model =
        switch (call.path()) {
          case "/v2/bot/message/reply" -> ReplyMessageRequest.class;
          case "/v2/bot/message/push" -> PushMessageRequest.class;
          case "/v2/bot/chat/loading/start" -> ShowLoadingAnimationRequest.class;
          default -> null;
        };
    if (model == null) {
      return false;
    }
    Object read = SDK.readValue(call.body().toString(), model);
    JsonNode written = SDK.readTree(SDK.writeValueAsString(read));
    assertSame(call.body(), written);
    return true;
  }

  /// Everything we said is said by the SDK as well; what it adds are defaults.
  private static void assertSame(JsonNode ours, JsonNode theirs) {
    if (ours.isObject()) {
      ours.properties().forEach(e -> assertSame(e.getValue(), theirs.path(e.getKey())));
    } else if (ours.isArray()) {
      assertThat(theirs.size()).isEqualTo(ours.size());
      for (int i = 0; i < ours.size(); i++) {
        assertSame(ours.get(i), theirs.get(i));
      }
    } else {
      assertThat(theirs.asText()).isEqualTo(ours.asText());
    }
  }
}
