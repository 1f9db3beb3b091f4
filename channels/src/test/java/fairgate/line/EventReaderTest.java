package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.line.talk.Incoming;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Events as LINE documents them.
class EventReaderTest {
  private static List<Incoming> read(String event) {
    String body =
        """
        {"destination": "U0", "events": [{"webhookEventId": "01H", "timestamp": 1700000000000,
          "mode": "active", "replyToken": "r", "source": {"type": "group", "groupId": "C1",
          "userId": "U1"}, %s}]}
        """
            .formatted(event);
    return EventReader.read(body.getBytes(StandardCharsets.UTF_8)).events().stream()
        .map(LineEvent::incoming)
        .toList();
  }

  private static Incoming text(String text, String more) {
    return read("\"type\": \"message\", \"message\": {\"type\": \"text\", \"id\": \"1\", \"text\": \""
            + text
            + "\""
            + more
            + "}")
        .getFirst();
  }

  private static String at(int index, int length, String more) {
    return "{\"index\": " + index + ", \"length\": " + length + more + "}";
  }

  @Test
  void mentionsAndEmojiAreNoWords() {
    String people = at(0, 4, ", \"type\": \"user\"") + ", " + at(5, 4, ", \"type\": \"all\"");
    assertThat(text("@Bob @All /sales", ", \"mention\": {\"mentionees\": [" + people + "]}"))
        .isEqualTo(new Incoming.Text("          /sales", false));
    String bot = at(5, 5, ", \"type\": \"user\", \"isSelf\": true");
    String both = ", \"mention\": {\"mentionees\": [" + at(0, 4, "") + ", " + bot + "]}";
    assertThat(text("@Bob @Gate 順位", both)).isEqualTo(new Incoming.Text("           順位", true));
    String love = ", \"emojis\": [" + at(2, 6, ", \"productId\": \"p\", \"emojiId\": \"1\"") + "]";
    assertThat(text("順位(love)", love)).isEqualTo(new Incoming.Text("順位      ", false));
  }

  @Test
  void positionsThatFitNothingAreIgnored() {
    for (String wrong : List.of(at(9, 9, ""), at(-1, 2, ""), at(0, 2, ""), at(0, 0, ""), "1")) {
      String more = ", \"emojis\": [" + wrong + "], \"mention\": {\"mentionees\": [" + wrong + "]}";
      assertThat(text("sales", more)).isEqualTo(new Incoming.Text("sales", false));
    }
  }

  @Test
  void theSwitchOfATabOfARichMenuIsNoEvent() {
    String tap = "\"type\": \"postback\", \"postback\": {\"data\": \"action=sales\"%s}";
    assertThat(read(tap.formatted(""))).containsExactly(new Incoming.Postback("action=sales"));
    assertThat(
            read(
                tap.formatted(
                    ", \"params\": {\"newRichMenuAliasId\": \"tab-2\", \"status\": \"SUCCESS\"}")))
        .isEmpty();
  }
}
