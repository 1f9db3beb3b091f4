package fairgate.line;

import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Parses the body of a webhook. Stand-by events, events of unknown types and events without an id
/// are skipped, because LINE adds types and fields without notice.
final class EventReader {
  private static final int LONGEST_ID = 64;
  private static final int LONGEST_TOKEN = 512;
  private static final int LONGEST_TEXT = 5_000;

  private EventReader() {}

  /// The events that the bot may handle.
  ///
  /// @param ignored number of skipped events
  record Events(List<LineEvent> events, int ignored) {}

  /// Throws JsonSyntaxException when the body is not a JSON object.
  static Events read(byte[] body) {
    List<LineEvent> known = new ArrayList<>();
    int ignored = 0;
    if (Json.parseObject(body).get("events") instanceof List<?> events) {
      for (Object one : events) {
        Optional<LineEvent> event = one instanceof JsonObject json ? event(json) : Optional.empty();
        event.ifPresent(known::add);
        ignored += event.isPresent() ? 0 : 1;
      }
    }
    return new Events(known, ignored);
  }

  private static Optional<LineEvent> event(JsonObject json) {
    String id = text(json, "webhookEventId", LONGEST_ID);
    Incoming incoming = incoming(json);
    if (id == null
        || !isId(id)
        || incoming == null
        || "standby".equals(json.get("mode"))
        || !(json.get("timestamp") instanceof Long at)) {
      return Optional.empty();
    }
    return Optional.of(
        new LineEvent(
            id, at, text(json, "replyToken", LONGEST_TOKEN), chat(json.get("source")), incoming));
  }

  private static @Nullable Incoming incoming(JsonObject json) {
    String type = text(json, "type", LONGEST_ID);
    if (type == null) {
      return null;
    }
    return switch (type) {
      case "message" -> json.get("message") instanceof JsonObject message ? message(message) : null;
      case "postback" ->
          json.get("postback") instanceof JsonObject postback ? postback(postback) : null;
      case "follow" -> new Incoming.Followed();
      case "unfollow" -> new Incoming.Unfollowed();
      case "join" -> new Incoming.Invited();
      default -> null;
    };
  }

  private static @Nullable Incoming message(JsonObject message) {
    if ("text".equals(message.get("type"))) {
      String text = text(message, "text", LONGEST_TEXT);
      return text == null ? null : text(text, message);
    }
    if ("location".equals(message.get("type"))
        && message.get("latitude") instanceof Number latitude
        && message.get("longitude") instanceof Number longitude
        && Math.abs(latitude.doubleValue()) <= 90
        && Math.abs(longitude.doubleValue()) <= 180) {
      return new Incoming.Location(latitude.doubleValue(), longitude.doubleValue());
    }
    return null;
  }

  /// Null for the switch of a rich menu's tab: the telephone has shown the tab already.
  private static @Nullable Incoming postback(JsonObject postback) {
    if (postback.get("params") instanceof JsonObject params && params.has("newRichMenuAliasId")) {
      return null;
    }
    String data = text(postback, "data", LONGEST_TEXT);
    return data == null ? null : new Incoming.Postback(data);
  }

  /// The text with blanks for mentions, of the bot or of other people, and for LINE's own emoji.
  private static Incoming text(String text, JsonObject message) {
    StringBuilder words = new StringBuilder(text);
    boolean mentioned = false;
    Object mentioning =
        message.get("mention") instanceof JsonObject json ? json.get("mentionees") : null;
    for (JsonObject each : objects(mentioning)) {
      mentioned |= isTrue(each.get("isSelf"));
      blank(words, each, '@');
    }
    for (JsonObject each : objects(message.get("emojis"))) {
      blank(words, each, '(');
    }
    return new Incoming.Text(words.toString(), mentioned);
  }

  private static List<JsonObject> objects(@Nullable Object list) {
    return list instanceof List<?> all
        ? all.stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList()
        : List.of();
  }

  /// Overwrites a part of the text with blanks, if it begins as expected. LINE gives positions in
  /// UTF-16 units.
  private static void blank(StringBuilder text, JsonObject part, char first) {
    if (part.get("index") instanceof Long index
        && part.get("length") instanceof Long length
        && index >= 0
        && length >= 1
        && index < text.length()
        && length <= text.length() - index
        && text.charAt(index.intValue()) == first) {
      for (int i = index.intValue(); i < index + length; i++) {
        text.setCharAt(i, ' ');
      }
    }
  }

  private static boolean isTrue(@Nullable Object value) {
    return Boolean.TRUE.equals(value);
  }

  private static Chat chat(@Nullable Object source) {
    if (!(source instanceof JsonObject json)) {
      return new Chat(null, null, null);
    }
    return new Chat(idOf(json, "userId"), idOf(json, "groupId"), idOf(json, "roomId"));
  }

  private static @Nullable String idOf(JsonObject json, String name) {
    String id = text(json, name, LONGEST_ID);
    return id != null && isId(id) ? id : null;
  }

  /// Ids become parts of Redis keys and URLs. LINE's ids have letters and digits only.
  private static boolean isId(String text) {
    return !text.isEmpty()
        && text.chars().allMatch(c -> c < 0x7f && (Character.isLetterOrDigit(c) || c == '-'));
  }

  private static @Nullable String text(JsonObject json, String name, int longest) {
    return json.get(name) instanceof String text && text.length() <= longest ? text : null;
  }
}
