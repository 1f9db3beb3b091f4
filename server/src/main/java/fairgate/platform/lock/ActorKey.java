package fairgate.platform.lock;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The names of actors' locks: `processing:user:{id}`, `processing:group:{id}`,
/// `processing:room:{id}`.
public final class ActorKey {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:-]{1,128}");

  private ActorKey() {}

  /// The key of the actor behind a message: the user where he is known, else the group, else the
  /// room. Empty where nobody is known; such a message is worked on without a lock, and whoever
  /// does so says so in the log. Ids of other characters than letters, digits and `_.:-` count as
  /// unknown.
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
