package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.bot.jackson.ModelObjectMapper;
import com.linecorp.bot.messaging.model.PushMessageRequest;
import com.linecorp.bot.messaging.model.ReplyMessageRequest;
import com.linecorp.bot.messaging.model.ShowLoadingAnimationRequest;
import fairgate.testkit.line.FakeLine.ReceivedCall;
import java.util.Optional;

/// Checks request bodies with LINE's own SDK.
final class LineOracle {
  private static final ObjectMapper SDK = ModelObjectMapper.createNewObjectMapper();

  private LineOracle() {}

  /// Parses a body of the bot with the SDK and writes it again; unknown fields would be lost. Calls
  /// without a body are skipped.
  ///
  /// @return whether there was something to judge
  static boolean judge(ReceivedCall call) {
    Optional<Class<?>> model = model(call.path());
    if (model.isEmpty()) {
      assertThat(call.path()).startsWith("/v2/bot/profile/");
      return false;
    }
    try {
      Object read = SDK.readValue(call.body().toString(), model.get());
      assertSame(call.body(), SDK.readTree(SDK.writeValueAsString(read)));
    } catch (JsonProcessingException e) {
      throw new AssertionError("the SDK does not know " + call, e);
    }
    return true;
  }

  private static Optional<Class<?>> model(String path) {
    return switch (path) {
      case "/v2/bot/message/reply" -> Optional.of(ReplyMessageRequest.class);
      case "/v2/bot/message/push" -> Optional.of(PushMessageRequest.class);
      case "/v2/bot/chat/loading/start" -> Optional.of(ShowLoadingAnimationRequest.class);
      default -> Optional.empty();
    };
  }

  /// Every field of ours is in the SDK's output; additional fields are defaults.
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
