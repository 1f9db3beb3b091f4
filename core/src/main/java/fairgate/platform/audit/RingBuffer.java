package fairgate.platform.audit;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// A bounded lock-free queue with one producer and one consumer. A slot is free when it is null.
final class RingBuffer {
  private final AtomicReferenceArray<@Nullable PendingEvent> slots;
  private final int mask;

  /// Used by the producer only.
  private int writeIndex;

  /// Used by the consumer only.
  private int readIndex;

  /// @param size a power of two
  RingBuffer(int size) {
    this.slots = new AtomicReferenceArray<>(size);
    this.mask = size - 1;
  }

  /// Adds an event; false when the queue is full.
  boolean offer(PendingEvent pending) {
    int slot = writeIndex & mask;
    if (slots.getAcquire(slot) != null) {
      return false;
    }
    slots.setRelease(slot, pending);
    writeIndex++;
    return true;
  }

  /// Removes the next event; null when the queue is empty.
  @Nullable PendingEvent poll() {
    int slot = readIndex & mask;
    PendingEvent pending = slots.getAcquire(slot);
    if (pending != null) {
      slots.setRelease(slot, null);
      readIndex++;
    }
    return pending;
  }

  /// The approximate number of events. Thread-safe.
  int size() {
    return writeIndex - readIndex;
  }
}
