package fairgate.room.check;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.platform.http.Reply;
import fairgate.room.Room;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import fairgate.room.token.RoomTokens.TokenOutcome;
import java.util.Optional;

/// Verifies passes. A signature costs fifty times as much as the rest of a check, so the result for
/// a valid one is kept; the facts that change, such as time and epoch, are compared each time.
final class VerifiedPasses {
  private static final int MOST = 100_000;

  private final RoomTokens tokens;
  private final Cache<String, Verified> valid =
      Caffeine.newBuilder().maximumSize(MOST).expireAfterWrite(Room.ABSOLUTE_SESSION).build();

  VerifiedPasses(RoomTokens tokens) {
    this.tokens = tokens;
  }

  /// A pass with a valid signature.
  ///
  /// @param scope it was verified against
  /// @param noContent the answer to a proxy that expects 204
  /// @param ok the answer to a proxy that expects 200
  record Verified(RoomTokens.Scope scope, RoomClaims claims, Reply noContent, Reply ok) {}

  /// The pass, if it is valid for this room now. Revocation is for the caller to check.
  ///
  /// @param now seconds since 1970
  Optional<Verified> find(Room room, String token, long now) {
    RoomTokens.Scope scope = room.scope();
    Verified known = valid.getIfPresent(token);
    if (known != null) {
      boolean current = known.scope().equals(scope) && known.claims().expiresAt() > now;
      return current ? Optional.of(known) : Optional.empty();
    }
    if (!(tokens.verify(RoomTokens.Type.PASS, scope, token, now)
        instanceof TokenOutcome.Valid pass)) {
      return Optional.empty();
    }
    Verified verified =
        new Verified(
            scope,
            pass.claims(),
            CheckReplies.admitted(Reply.noContent(), token),
            CheckReplies.admitted(Reply.text(200, ""), token));
    valid.put(token, verified);
    return Optional.of(verified);
  }
}
