package fairgate.room.check;

import fairgate.room.Room;

/// The outcome of a check.
sealed interface CheckOutcome {
  /// The visitor has a valid pass.
  ///
  /// @param renewable whether half of the pass's time is over
  record Admitted(Room room, VerifiedPasses.Verified pass, boolean renewable)
      implements CheckOutcome {}

  /// The room lets everybody pass here: another path or method, or the room is off or opened by its
  /// failure policy.
  record Unprotected() implements CheckOutcome {
    static final Unprotected INSTANCE = new Unprotected();
  }

  /// The visitor may walk in while the room is on standby, and has to wait otherwise.
  record WalkIn(Room room, Waiting otherwise) implements CheckOutcome {}

  /// The visitor has to wait.
  ///
  /// @param page address of the waiting page, which leads back
  /// @param navigation whether the browser shows the answer as a page
  record Waiting(String page, boolean navigation) implements CheckOutcome {}

  /// The question or the request is refused, whatever the visitor has.
  record Refused(Problem problem) implements CheckOutcome {}

  /// The reasons to refuse.
  enum Problem {
    /// The question does not come from a trusted proxy.
    UNTRUSTED_PROXY,
    /// A header about the original request is missing, repeated or malformed.
    BAD_ORIGINAL_REQUEST,
    UNKNOWN_ROOM,
    /// The host is none of the room's.
    OTHER_HOST
  }
}
