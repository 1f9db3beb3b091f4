package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;

/// What the bot is told.
public sealed interface Incoming {
  /// A text.
  ///
  /// @param mentioned whether it names the bot, as texts in groups have to
  record Text(String text, boolean mentioned) implements Incoming {}

  /// A location, in degrees.
  record Spot(double latitude, double longitude) implements Incoming {}

  /// A tapped button.
  record Post(String data) implements Incoming {}

  /// Somebody has made friends with the bot.
  record Followed() implements Incoming {}

  /// Somebody has blocked the bot; nothing can be answered.
  record Unfollowed() implements Incoming {}

  /// The bot has been taken into a group or room.
  record Invited() implements Incoming {}

  /// Fairgate's own: a buyer's turn has come.
  record Turn(ProductId product, SessionId session) implements Incoming {}

  /// Whether it asks for work that is done once at a time for each actor.
  default boolean isLocked() {
    return switch (this) {
      case Text _, Spot _, Post _ -> true;
      case Followed _, Unfollowed _, Invited _, Turn _ -> false;
    };
  }
}
