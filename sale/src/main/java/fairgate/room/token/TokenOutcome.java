package fairgate.room.token;

/// The outcome of a token check.
public sealed interface TokenOutcome {
  /// The token is valid now.
  record Valid(RoomClaims claims) implements TokenOutcome {}

  /// The token is not valid.
  record Invalid(Reason reason) implements TokenOutcome {}

  /// Why a token is not valid, for metrics and tests. Callers are not told.
  enum Reason {
    /// No compact JWS with exactly the expected header members, or missing claims.
    MALFORMED,
    /// Another `alg` than the room's, or another `typ`.
    WRONG_TYPE,
    /// Another room's or type's key, or none.
    UNKNOWN_KEY,
    BAD_SIGNATURE,
    WRONG_ROOM,
    /// The room has begun a new epoch since.
    OLD_EPOCH,
    EXPIRED,
    /// `iat` is ahead of the clock.
    NOT_YET
  }
}
