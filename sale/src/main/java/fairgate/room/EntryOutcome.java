package fairgate.room;

import fairgate.platform.http.Refusal;
import fairgate.room.token.RoomClaims;

/// The outcome of an attempt to enter, or to stay inside.
public sealed interface EntryOutcome {
  /// The visitor may go on.
  ///
  /// @param token the turn, or the pass
  record Admitted(String token, RoomClaims claims) implements EntryOutcome {}

  /// The visitor may not.
  record Refused(Refusal refusal) implements EntryOutcome {}
}
