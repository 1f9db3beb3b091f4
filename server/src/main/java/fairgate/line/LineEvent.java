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

/// One thing the bot has to deal with.
///
/// @param id `webhookEventId`, or an id of our own that begins with `fairgate.`
/// @param at when it happened, milliseconds by LINE's clock
/// @param replyToken single use, good for about a minute; null where nothing can be replied
record LineEvent(String id, long at, @Nullable String replyToken, Chat chat, Incoming incoming) {
  /// Which queue it waits in: events of one chat are looked at one after the other.
  String queue() {
    String address = chat.address();
    return address == null ? id : address;
  }

  /// The event as the inbox keeps it.
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
      case Incoming.Spot(double latitude, double longitude) ->
          json.put("kind", "spot").putAny("latitude", latitude).putAny("longitude", longitude);
      case Incoming.Post(String data) -> json.put("kind", "post").put("data", data);
      case Incoming.Followed _ -> json.put("kind", "followed");
      case Incoming.Unfollowed _ -> json.put("kind", "unfollowed");
      case Incoming.Invited _ -> json.put("kind", "invited");
      case Incoming.Turn(ProductId product, SessionId session) ->
          json.put("kind", "turn").put("product", product.value()).put("session", session.value());
    }
    return json.toString();
  }

  /// Reads what `encode` wrote. Throws RuntimeException for anything else.
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
      case "spot" -> new Incoming.Spot(number(json, "latitude"), number(json, "longitude"));
      case "post" -> new Incoming.Post(text(json, "data"));
      case "followed" -> new Incoming.Followed();
      case "unfollowed" -> new Incoming.Unfollowed();
      case "invited" -> new Incoming.Invited();
      case "turn" ->
          new Incoming.Turn(
              new ProductId(text(json, "product")), new SessionId(text(json, "session")));
      default -> throw new IllegalArgumentException("an event of kind " + kind);
    };
  }

  private static String text(JsonObject json, String name) {
    return (String) Objects.requireNonNull(json.get(name), name);
  }

  private static double number(JsonObject json, String name) {
    return ((Number) Objects.requireNonNull(json.get(name), name)).doubleValue();
  }
}
