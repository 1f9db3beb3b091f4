package fairgate.line.api;

import fairgate.platform.json.JsonText;
import java.util.List;

/// A message of the bot, cut to LINE's limits.
public sealed interface LineMessage {
  /// The longest text, in UTF-16 units.
  int TEXT = 5_000;

  /// The maximum number of messages in one reply or push.
  int MAX = 5;

  /// The maximum number of quick replies of a message.
  int QUICK = 13;

  /// The maximum number of columns of a carousel.
  int COLUMNS = 10;

  record Text(String text, List<ButtonAction> quick) implements LineMessage {
    public Text {
      if (text.isBlank()) {
        throw new IllegalArgumentException("a text message must not be blank");
      }
      quick = List.copyOf(quick.subList(0, Math.min(QUICK, quick.size())));
    }
  }

  /// A carousel.
  ///
  /// @param alt text for chat lists and old clients
  /// @param columns at least one; all have the same number of actions
  record Cards(String alt, List<Card> columns) implements LineMessage {
    public Cards {
      if (columns.isEmpty()) {
        throw new IllegalArgumentException("a carousel needs at least one card");
      }
      columns = List.copyOf(columns.subList(0, Math.min(COLUMNS, columns.size())));
    }
  }

  /// A card: at most 40 characters of title, 60 of text, and three actions.
  record Card(String title, String text, List<ButtonAction> actions) {
    private static final int TITLE = 40;
    private static final int BODY = 60;

    public Card {
      actions = List.copyOf(actions);
    }

    private JsonText json() {
      return JsonText.object()
          .put("title", ButtonAction.cut(title, TITLE))
          .put("text", ButtonAction.cut(text, BODY))
          .putAny("actions", actions.stream().map(ButtonAction::json).toList());
    }
  }

  static LineMessage text(String text) {
    return new Text(text, List.of());
  }

  default JsonText json() {
    return switch (this) {
      case Text(String text, List<ButtonAction> quick) -> {
        JsonText json =
            JsonText.object().put("type", "text").put("text", ButtonAction.cut(text, TEXT));
        if (!quick.isEmpty()) {
          json.put(
              "quickReply",
              JsonText.object().putAny("items", quick.stream().map(LineMessage::item).toList()));
        }
        yield json;
      }
      case Cards(String alt, List<Card> columns) ->
          JsonText.object()
              .put("type", "template")
              .put("altText", ButtonAction.cut(alt, 400))
              .put(
                  "template",
                  JsonText.object()
                      .put("type", "carousel")
                      .putAny("columns", columns.stream().map(Card::json).toList()));
    };
  }

  private static JsonText item(ButtonAction action) {
    return JsonText.object().put("type", "action").put("action", action.json());
  }
}
