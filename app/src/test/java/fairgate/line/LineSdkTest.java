package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.bot.parser.LineSignatureValidator;
import com.linecorp.bot.parser.WebhookParser;
import com.linecorp.bot.webhook.model.CallbackRequest;
import com.linecorp.bot.webhook.model.Event;
import com.linecorp.bot.webhook.model.UnknownEvent;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.FakeLine.ReceivedCall;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Checks the webhooks of the tests and the bodies of the bot with LINE's own SDK. The other tests'
/// worlds check every body, too, when they close.
final class LineSdkTest {
  @Test
  void theSdkParsesTheWebhooksOfTheTests() throws Exception {
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
  void theSdkKnowsEveryBodyThatTheBotSends() throws Exception {
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
      assertThat(world.line.calls().stream().filter(LineOracle::judge).count())
          .isGreaterThanOrEqualTo(10);
    }
  }

  @Test
  void theOracleRejectsUnknownFields() {
    ObjectNode body = new ObjectMapper().createObjectNode().put("to", "U1");
    body.putArray("messages").addObject().put("type", "text").put("text", "a").put("txet", "b");
    ReceivedCall call = new ReceivedCall("/v2/bot/message/push", "", body, 200);
    assertThatThrownBy(() -> LineOracle.judge(call)).isInstanceOf(AssertionError.class);
  }
}
