package fairgate.line.talk;

import org.jspecify.annotations.Nullable;

/// The chat and the user of an event. In groups and rooms LINE may omit the user.
public record Chat(@Nullable String userId, @Nullable String groupId, @Nullable String roomId) {
  /// Whether it is a one-to-one chat with the bot.
  public boolean isPrivate() {
    return groupId == null && roomId == null && userId != null;
  }

  boolean isShared() {
    return groupId != null || roomId != null;
  }

  /// The receiver of a push to this chat; null when LINE sent no source.
  public @Nullable String address() {
    return groupId != null ? groupId : roomId != null ? roomId : userId;
  }
}
