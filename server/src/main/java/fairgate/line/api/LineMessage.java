package fairgate.line.api;

import fairgate.platform.json.JsonText;
import java.util.List;

/// One message of the bot, within LINE's limits whatever it is made of.
public sealed interface LineMessage {
  /// The longest text, in UTF-16 units.
  int TEXT = 5_000;

  /// The most messages one reply or push may hold.
  int MOST = 5;

  /// The most quick replies of one message.
  int QUICK = 13;

  /// The most columns of a carousel.
  int COLUMNS = 10;

  /// Text, and what may be tapped below it.
  record Text(String text, List<Action> quick) implements LineMessage {
    public Text {
      if (text.isBlank()) {
        throw new IllegalArgumentException("a message says something");
      }
      quick = List.copyOf(quick.subList(0, Math.min(QUICK, quick.size())));
    }
  }

  /// Cards side by side.
  ///
  /// @param alt what lists of chats and old clients show
  /// @param columns at least one; the actions of each are as many as those of the first
  record Cards(String alt, List<Card> columns) implements LineMessage {
    public Cards {
      if (columns.isEmpty()) {
        throw new IllegalArgumentException("a carousel has a card");
      }
      columns = List.copyOf(columns.subList(0, Math.min(COLUMNS, columns.size())));
    }
  }

  /// One card: at most 40 characters of title and 60 of text, three actions.
  record Card(String title, String text, List<Action> actions) {
    private static final int TITLE = 40;
    private static final int BODY = 60;

    public Card {
      actions = List.copyOf(actions);
    }

    private JsonText json() {
      return JsonText.object()
          .put("title", Action.cut(title, TITLE))
          .put("text", Action.cut(text, BODY))
          .putAny("actions", actions.stream().map(Action::json).toList());
    }
  }

  /// A text nothing can be tapped below.
  static LineMessage text(String text) {
    return new Text(text, List.of());
  }

  /// The message as LINE wants it.
  default JsonText json() {
    return switch (this) {
      case Text(String text, List<Action> quick) -> {
        JsonText json = JsonText.object().put("type", "text").put("text", Action.cut(text, TEXT));
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
              .put("altText", Action.cut(alt, 400))
              .put(
                  "template",
                  JsonText.object()
                      .put("type", "carousel")
                      .putAny("columns", columns.stream().map(Card::json).toList()));
    };
  }

  private static JsonText item(Action action) {
    return JsonText.object().put("type", "action").put("action", action.json());
  }
}
