package fairgate.platform.lock;

/// The result of an attempt to take a lock.
public sealed interface LockOutcome {
  /// The caller owns the lock until it is released or expires.
  record Acquired(LockLease lease) implements LockOutcome {}

  /// The actor's last request is still being processed.
  record Busy() implements LockOutcome {}
}
