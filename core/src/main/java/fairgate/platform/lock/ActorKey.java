package fairgate.platform.lock;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The lock keys of actors: `processing:user:{id}`, `processing:group:{id}`,
/// `processing:room:{id}`.
public final class ActorKey {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,128}");

  private ActorKey() {}

  /// The key of a message's actor: the user if known, else the group, else the room. Empty when
  /// none is known; the caller then works without a lock and logs that. Ids with characters other
  /// than letters, digits and `_.:-` count as unknown.
  public static Optional<String> buildActorKey(
      @Nullable String userId, @Nullable String groupId, @Nullable String roomId) {
    return key("user", userId).or(() -> key("group", groupId)).or(() -> key("room", roomId));
  }

  private static Optional<String> key(String kind, @Nullable String id) {
    return Optional.ofNullable(id)
        .filter(text -> ID.matcher(text).matches())
        .map(text -> "processing:" + kind + ":" + text);
  }
}
