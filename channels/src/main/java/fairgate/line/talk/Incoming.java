package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;

/// The content of an incoming event.
public sealed interface Incoming {
  /// A text message.
  ///
  /// @param mentioned whether it mentions the bot
  record Text(String text, boolean mentioned) implements Incoming {}

  /// A location, in degrees.
  record Location(double latitude, double longitude) implements Incoming {}

  record Postback(String data) implements Incoming {}

  record Followed() implements Incoming {}

  /// A user blocked the bot; no answer is possible.
  record Unfollowed() implements Incoming {}

  record Invited() implements Incoming {}

  /// Fairgate's own event: it is a buyer's turn.
  record Turn(ProductId product, SessionId session) implements Incoming {}

  /// Fairgate's own event: a finished text for a user, such as a receipt.
  record Notice(String text) implements Incoming {
    @Override
    public String toString() {
      return "Notice[]";
    }
  }

  /// Whether it needs the actor's processing lock.
  default boolean isLocked() {
    return switch (this) {
      case Text _, Location _, Postback _ -> true;
      case Followed _, Unfollowed _, Invited _, Turn _, Notice _ -> false;
    };
  }
}
