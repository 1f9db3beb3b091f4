package fairgate.testkit.line;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Makes webhook events as LINE sends them.
public final class LineEvents {
  /// The receiver of all webhooks: the bot.
  public static final String BOT = "U" + "b0".repeat(16);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private final Clock clock;
  private final AtomicLong count;

  /// @param first differs between makers, so that no two give the same id
  LineEvents(Clock clock, long first) {
    this.clock = clock;
    this.count = new AtomicLong(first);
  }

  /// Where an event comes from.
  ///
  /// @param kind `user`, `group` or `room`
  public record From(
      String kind, @Nullable String userId, @Nullable String groupId, @Nullable String roomId) {
    /// A chat of one person with the bot.
    public static From user(String userId) {
      return new From("user", userId, null, null);
    }

    /// A group; LINE does not always include the sender.
    public static From group(String groupId, @Nullable String userId) {
      return new From("group", userId, groupId, null);
    }

    /// A room; LINE does not always include the sender.
    public static From room(String roomId, @Nullable String userId) {
      return new From("room", userId, null, roomId);
    }

    /// Whom a push to this chat is addressed to.
    public @Nullable String chat() {
      return groupId != null ? groupId : roomId != null ? roomId : userId;
    }
  }

  /// A user's id, the same for the same name.
  public static String userId(String name) {
    return "U" + "%032x".formatted(name.hashCode() & 0xffffffffL);
  }

  /// The body of a webhook with these events.
  public static String webhook(ObjectNode... events) {
    ObjectNode body = JSON.createObjectNode().put("destination", BOT);
    var list = body.putArray("events");
    for (ObjectNode event : events) {
      list.add(event);
    }
    return body.toString();
  }

  /// A text message.
  public ObjectNode text(From from, String text) {
    ObjectNode event = event("message", from);
    event
        .putObject("message")
        .put("type", "text")
        .put("id", Long.toString(count.incrementAndGet()))
        .put("quoteToken", "quote")
        .put("text", text);
    return event;
  }

  /// A text message that names the bot.
  public ObjectNode mention(From from, String text) {
    ObjectNode event = text(from, text);
    ObjectNode message = (ObjectNode) event.get("message");
    message
        .putObject("mention")
        .putArray("mentionees")
        .addObject()
        .put("index", 0)
        .put("length", 4)
        .put("type", "user")
        .put("userId", BOT)
        .put("isSelf", true);
    return event;
  }

  /// A location message.
  public ObjectNode location(From from, double latitude, double longitude) {
    ObjectNode event = event("message", from);
    event
        .putObject("message")
        .put("type", "location")
        .put("id", Long.toString(count.incrementAndGet()))
        .put("title", "here")
        .put("address", "somewhere")
        .put("latitude", latitude)
        .put("longitude", longitude);
    return event;
  }

  /// A tapped button.
  public ObjectNode postback(From from, String data) {
    ObjectNode event = event("postback", from);
    event.putObject("postback").put("data", data);
    return event;
  }

  /// The user adds the bot as a friend.
  public ObjectNode follow(From from) {
    ObjectNode event = event("follow", from);
    event.putObject("follow").put("isUnblocked", false);
    return event;
  }

  /// Any other event, with a reply token, which some types do not have.
  ///
  /// @param type as in `unfollow`, `join`, `unsend`
  public ObjectNode event(String type, From from) {
    ObjectNode event =
        JSON.createObjectNode()
            .put("type", type)
            .put("mode", "active")
            .put("timestamp", clock.millis())
            .put("webhookEventId", id())
            .put("replyToken", "reply" + "%027d".formatted(count.incrementAndGet()));
    ObjectNode source = event.putObject("source").put("type", from.kind());
    if (from.groupId() != null) {
      source.put("groupId", from.groupId());
    }
    if (from.roomId() != null) {
      source.put("roomId", from.roomId());
    }
    if (from.userId() != null) {
      source.put("userId", from.userId());
    }
    event.putObject("deliveryContext").put("isRedelivery", false);
    return event;
  }

  /// A redelivery of the event.
  public static ObjectNode again(ObjectNode event) {
    ObjectNode copy = event.deepCopy();
    copy.putObject("deliveryContext").put("isRedelivery", true);
    return copy;
  }

  /// A ULID: 26 characters.
  private String id() {
    StringBuilder id = new StringBuilder(26);
    long time = clock.millis();
    for (int shift = 45; shift >= 0; shift -= 5) {
      id.append(LETTERS.charAt((int) (time >> shift & 31)));
    }
    return id.append(String.format(Locale.ROOT, "%016d", count.incrementAndGet())).toString();
  }
}
