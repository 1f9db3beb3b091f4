package fairgate.platform.lock;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/// One lock in one owner's hands. It is known by its owner token, 128 random bits, so that nobody
/// can give back or renew what has become somebody else's.
public final class LockLease {
  /// Who keeps others out.
  enum Keeper {
    /// Redis: all nodes see it.
    REDIS,
    /// This node alone: Redis was away. It may have got the lock all the same, and lost the answer.
    NODE,
    /// Nobody: locks are switched off.
    NONE
  }

  private final String key;
  private final String owner;
  private final Keeper keeper;
  private final LongSupplier nanos;
  private final long takenAt;
  private final AtomicBoolean told = new AtomicBoolean();
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile long until;

  LockLease(String key, String owner, Keeper keeper, LongSupplier nanos, long takenAt, long life) {
    this.key = key;
    this.owner = owner;
    this.keeper = keeper;
    this.nanos = nanos;
    this.takenAt = takenAt;
    this.until = takenAt + life;
  }

  /// What is locked.
  public String key() {
    return key;
  }

  /// Whether the lock is still the owner's, as far as this node can know: counted from before it
  /// asked, so it says no a little early rather than late. Ask before a step that must not be done
  /// by two. A process that was stopped for long may still be told yes just before the truth
  /// arrives, so what must never happen twice needs an idempotency key as well.
  public boolean isHeld() {
    return !over.get() && nanos.getAsLong() - until < 0;
  }

  String owner() {
    return owner;
  }

  Keeper keeper() {
    return keeper;
  }

  /// Nanoseconds since it was taken.
  long age() {
    return nanos.getAsLong() - takenAt;
  }

  void extend(long from, long life) {
    until = from + life;
  }

  /// Whether nobody on this node was refused before.
  boolean tellFirst() {
    return told.compareAndSet(false, true);
  }

  /// Ends it; answers whether it was not over yet.
  boolean end() {
    return over.compareAndSet(false, true);
  }
}
