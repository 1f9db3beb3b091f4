package fairgate.platform.lock;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/// A lock held by one owner. The owner token, 128 random bits, ensures that only the owner can
/// release or renew it.
public final class LockLease {
  enum Store {
    /// In Redis, visible to all nodes.
    REDIS,
    /// On this node only, because Redis was unavailable. Redis may hold the lock too if only its
    /// reply was lost.
    NODE,
    /// Nowhere: locks are disabled.
    NONE
  }

  private final String key;
  private final String owner;
  private final Store keeper;
  private final LongSupplier nanos;
  private final long takenAt;
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile long expiresAt;

  LockLease(String key, String owner, Store keeper, LongSupplier nanos, long takenAt, long life) {
    this.key = key;
    this.owner = owner;
    this.keeper = keeper;
    this.nanos = nanos;
    this.takenAt = takenAt;
    this.expiresAt = takenAt + life;
  }

  public String key() {
    return key;
  }

  /// Whether the lock is still held, as far as this node knows. Measured from before the call to
  /// Redis, so it ends slightly early rather than late. Check it before a step that must not be
  /// done twice. A process that was suspended may still see true, so steps that must never be
  /// repeated also need an idempotency key.
  public boolean isHeld() {
    return !ended.get() && nanos.getAsLong() - expiresAt < 0;
  }

  String owner() {
    return owner;
  }

  Store keeper() {
    return keeper;
  }

  /// Nanoseconds since the lock was taken.
  long age() {
    return nanos.getAsLong() - takenAt;
  }

  void extend(long from, long life) {
    expiresAt = from + life;
  }

  /// Ends the lease; false when it had ended.
  boolean end() {
    return ended.compareAndSet(false, true);
  }
}
