package fairgate.platform.lock;

/// What an attempt to take a lock came to.
public sealed interface LockOutcome {
  /// The caller owns the lock until he gives it back or it ends.
  record Acquired(LockLease lease) implements LockOutcome {}

  /// Somebody else is at it.
  ///
  /// @param first whether nobody was refused before since the owner took the lock; who tells people
  ///   that their request is being worked on tells the first one only
  record Busy(boolean first) implements LockOutcome {}
}
