package fairgate.line.talk;

import org.jspecify.annotations.Nullable;

/// Where something was said, and by whom as far as LINE tells: in a group or room the user may be
/// unknown.
public record Chat(@Nullable String userId, @Nullable String groupId, @Nullable String roomId) {
  /// Whether there are only a person and the bot.
  public boolean isPrivate() {
    return groupId == null && roomId == null && userId != null;
  }

  /// Whom a push to this chat is addressed to; null where LINE tells nobody.
  public @Nullable String address() {
    return groupId != null ? groupId : roomId != null ? roomId : userId;
  }
}
