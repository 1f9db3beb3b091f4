package fairgate.platform.lock;

/// The result of an attempt to take a lock.
public sealed interface LockOutcome {
  /// The caller owns the lock until it is released or expires.
  record Acquired(LockLease lease) implements LockOutcome {}

  /// The actor's last request is still being processed.
  ///
  /// @param noticeDue whether the caller should notify the actor now: true for the first refusal
  ///   since the owner took the lock, then at most once per notice interval
  record Busy(boolean noticeDue) implements LockOutcome {}
}
