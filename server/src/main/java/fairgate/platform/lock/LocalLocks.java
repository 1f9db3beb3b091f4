package fairgate.platform.lock;

import fairgate.platform.lock.LockLease.Keeper;
import java.util.concurrent.ConcurrentHashMap;

/// The leases of this node. While Redis is away they are all there is: this node then works on one
/// request of an actor at a time, but knows nothing of what other nodes do.
final class LocalLocks {
  /// Far more than a node can work on at a time; past it nothing is taken without Redis.
  private static final int MOST = 100_000;

  private final ConcurrentHashMap<String, LockLease> leases = new ConcurrentHashMap<>();

  /// Adds a lease that Redis granted, unless one taken while Redis was away still lives. A lease of
  /// Redis that stood here before is over: Redis would not have granted another.
  ///
  /// @return the lease that holds the key now
  LockLease adopt(LockLease granted) {
    return leases.compute(
        granted.key(),
        (_, old) -> {
          if (old != null && old.isHeld() && old.keeper() == Keeper.NODE) {
            return old;
          }
          if (old != null) {
            var _ = old.end();
          }
          return granted;
        });
  }

  /// Adds a lease without Redis, unless a living one stands or there is no room.
  ///
  /// @return the lease that holds the key now; the given one, never added, where there is no room
  LockLease take(LockLease wanted) {
    if (leases.size() >= MOST) {
      leases.values().removeIf(lease -> !lease.isHeld());
      if (leases.size() >= MOST) {
        var _ = wanted.end();
        return wanted;
      }
    }
    return leases.compute(wanted.key(), (_, old) -> old != null && old.isHeld() ? old : wanted);
  }

  void remove(LockLease lease) {
    var _ = leases.remove(lease.key(), lease);
  }

  /// Whether a living lease of this node keeps the key without Redis, and whether its first refusal
  /// is this one.
  LockOutcome.@org.jspecify.annotations.Nullable Busy refusal(String key) {
    LockLease lease = leases.get(key);
    return lease != null && lease.keeper() == Keeper.NODE && lease.isHeld()
        ? new LockOutcome.Busy(lease.tellFirst())
        : null;
  }

  int size() {
    return leases.size();
  }
}
