package fairgate.platform.lock;

import fairgate.platform.lock.LockLease.Store;
import java.util.concurrent.ConcurrentHashMap;

/// The leases of this node. While Redis is unavailable they are the only locks: this node then
/// processes one request of an actor at a time but does not know about other nodes.
final class LocalLocks {
  /// Far more than a node can process at a time; beyond it no lock is taken without Redis.
  private static final int MAX_LEASES = 100_000;

  private final ConcurrentHashMap<String, LockLease> leases = new ConcurrentHashMap<>();

  /// Adds a lease granted by Redis, unless a lease taken without Redis is still held. An earlier
  /// lease of Redis has ended: otherwise Redis would not have granted another.
  ///
  /// @return the lease that holds the key now
  LockLease adopt(LockLease granted) {
    return leases.compute(
        granted.key(),
        (_, old) -> {
          if (old != null && old.isHeld() && old.keeper() == Store.NODE) {
            return old;
          }
          if (old != null) {
            var _ = old.end();
          }
          return granted;
        });
  }

  /// Adds a lease without Redis, unless one is held or there is no room.
  ///
  /// @return the lease that holds the key now; when there is no room, the given one, already ended
  LockLease take(LockLease requested) {
    if (leases.size() >= MAX_LEASES) {
      leases.values().removeIf(lease -> !lease.isHeld());
      if (leases.size() >= MAX_LEASES) {
        var _ = requested.end();
        return requested;
      }
    }
    return leases.compute(
        requested.key(), (_, old) -> old != null && old.isHeld() ? old : requested);
  }

  void remove(LockLease lease) {
    var _ = leases.remove(lease.key(), lease);
  }

  /// Whether a lease taken without Redis holds the key.
  boolean refuses(String key) {
    LockLease lease = leases.get(key);
    return lease != null && lease.keeper() == Store.NODE && lease.isHeld();
  }
}
