package fairgate.line;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// An event for the bot.
///
/// @param id `webhookEventId`, or an id of Fairgate's own that begins with `fairgate.`
/// @param at time of the event, milliseconds by LINE's clock
/// @param replyToken single use, valid for about a minute; null when no reply is possible
record LineEvent(String id, long at, @Nullable String replyToken, Chat chat, Incoming incoming) {
  /// The name of its queue. Events of one chat are processed in order.
  String queue() {
    String address = chat.address();
    return address == null ? id : address;
  }

  String encode() {
    JsonText json =
        JsonText.object()
            .put("id", id)
            .put("at", at)
            .put("token", replyToken)
            .put("user", chat.userId())
            .put("group", chat.groupId())
            .put("room", chat.roomId());
    switch (incoming) {
      case Incoming.Text(String text, boolean mentioned) ->
          json.put("kind", "text").put("text", text).put("mentioned", mentioned);
      case Incoming.Location(double latitude, double longitude) ->
          json.put("kind", "spot").putAny("latitude", latitude).putAny("longitude", longitude);
      case Incoming.Postback(String data) -> json.put("kind", "post").put("data", data);
      case Incoming.Followed _ -> json.put("kind", "followed");
      case Incoming.Unfollowed _ -> json.put("kind", "unfollowed");
      case Incoming.Invited _ -> json.put("kind", "invited");
      case Incoming.Turn(ProductId product, SessionId session) ->
          json.put("kind", "turn").put("product", product.value()).put("session", session.value());
      case Incoming.Notice(String notice) -> json.put("kind", "notice").put("text", notice);
    }
    return json.toString();
  }

  /// Parses the output of `encode`. Throws RuntimeException for anything else.
  static LineEvent decode(String text) {
    JsonObject json = Json.parseObject(text);
    return new LineEvent(
        text(json, "id"),
        ((Number) Objects.requireNonNull(json.get("at"))).longValue(),
        (String) json.get("token"),
        new Chat((String) json.get("user"), (String) json.get("group"), (String) json.get("room")),
        incoming(json));
  }

  private static Incoming incoming(JsonObject json) {
    String kind = text(json, "kind");
    return switch (kind) {
      case "text" ->
          new Incoming.Text(text(json, "text"), Boolean.TRUE.equals(json.get("mentioned")));
      case "spot" -> new Incoming.Location(number(json, "latitude"), number(json, "longitude"));
      case "post" -> new Incoming.Postback(text(json, "data"));
      case "followed" -> new Incoming.Followed();
      case "unfollowed" -> new Incoming.Unfollowed();
      case "invited" -> new Incoming.Invited();
      case "turn" ->
          new Incoming.Turn(
              new ProductId(text(json, "product")), new SessionId(text(json, "session")));
      case "notice" -> new Incoming.Notice(text(json, "text"));
      default -> throw new IllegalArgumentException("unknown kind of event: " + kind);
    };
  }

  private static String text(JsonObject json, String name) {
    return (String) Objects.requireNonNull(json.get(name), name);
  }

  private static double number(JsonObject json, String name) {
    return ((Number) Objects.requireNonNull(json.get(name), name)).doubleValue();
  }
}
