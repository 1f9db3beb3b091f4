package fairgate.bench;

import fairgate.testkit.line.FakeLine;
import java.util.ArrayList;
import java.util.List;

/// Signed webhooks with one event each. Except for the questions, none of them causes a reply, so
/// that only the webhook is measured: texts while another bot has the chat, and users who unfollow.
@SuppressWarnings("InlineFormatString") // A body reads better apart from the call.
public final class LineLoad {
  public static final String SECRET = "secret-of-the-bench-0123456789ab";

  private static final String TEXT =
      ",\"replyToken\":\"0f3779fba3b349968c5d07db31eab56f\",\"message\":{\"id\":\"444573844083572737\","
          + "\"type\":\"text\",\"quoteToken\":\"q3Plxr4AgKd\",\"text\":\"hello\"}";

  /// Other numbers than those of events that come beside them.
  private static final long FIRST_QUESTION = 1_000_000_000;

  private long events;

  /// A webhook that is verified, read, and not for this bot now.
  public String standby() {
    return signed("message", "standby", 1, TEXT);
  }

  /// The same two events again and again.
  public List<String> again() {
    return List.of(signed("unfollow", "active", 3, ""), signed("unfollow", "active", 4, ""));
  }

  /// Events that were never sent before.
  List<String> fresh(int count) {
    List<String> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add(signed("unfollow", "active", 1_000 + ++events, ""));
    }
    return all;
  }

  /// Questions about the weather, each of another user, answered by pushes because they have no
  /// valid reply token.
  ///
  /// @param at their time, in milliseconds
  List<String> questions(int count, long at) {
    List<String> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String question = TEXT.replace("hello", "台北").replaceFirst(",\"replyToken\":\"\\w+\"", "");
      all.add(signed("message", "active", FIRST_QUESTION + ++events, at, question));
    }
    return all;
  }

  private static String signed(String type, String mode, long number, String more) {
    return signed(type, mode, number, 1_795_255_200_000L, more);
  }

  private static String signed(String type, String mode, long number, long at, String more) {
    String body =
        """
      {"destination":"Ub0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","events":[{"type":"%s","mode":"%s",\
      "timestamp":%d,"webhookEventId":"01JB%022d","source":{"type":"user",\
      "userId":"U%032x"},"deliveryContext":{"isRedelivery":false}%s}]}\
      """
            .formatted(type, mode, at, number, number, more);
    return FakeLine.signature(SECRET, body) + ' ' + body;
  }
}
