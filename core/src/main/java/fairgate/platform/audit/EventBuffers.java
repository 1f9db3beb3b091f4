package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import io.vertx.core.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The buffers of pending events: one for each event loop, and one that all other threads share.
final class EventBuffers {
  private final int size;
  private final Map<Thread, RingBuffer> loops = new ConcurrentHashMap<>();
  private final RingBuffer shared;
  private final LongAdder lost = new LongAdder();

  /// @param size the capacity of each buffer, rounded up to a power of two
  EventBuffers(int size) {
    this.size = Integer.highestOneBit(Math.max(2, size) * 2 - 1);
    this.shared = new RingBuffer(this.size);
  }

  /// Adds an event, or counts it as lost when its buffer is full.
  void add(PendingEvent pending) {
    boolean taken;
    if (Context.isOnEventLoopThread()) {
      Thread thread = Thread.currentThread();
      RingBuffer buffer = loops.get(thread);
      if (buffer == null) {
        buffer = loops.computeIfAbsent(thread, _ -> new RingBuffer(size));
      }
      taken = buffer.offer(pending);
    } else {
      synchronized (shared) {
        taken = shared.offer(pending);
      }
    }
    if (!taken) {
      lost.increment();
    }
  }

  /// Removes up to `maxEvents` events. For one thread.
  void drain(List<PendingEvent> into, int maxEvents) {
    for (RingBuffer buffer : loops.values()) {
      drain(buffer, into, maxEvents);
    }
    drain(shared, into, maxEvents);
  }

  /// Counts removed events as lost.
  void lose(int events) {
    lost.add(events);
  }

  long lost() {
    return lost.sum();
  }

  int size() {
    return shared.size() + loops.values().stream().mapToInt(RingBuffer::size).sum();
  }

  private static void drain(RingBuffer buffer, List<PendingEvent> into, int maxEvents) {
    while (into.size() < maxEvents) {
      @Nullable PendingEvent pending = buffer.poll();
      if (pending == null) {
        return;
      }
      into.add(pending);
    }
  }

  /// A bounded lock-free queue with one producer and one consumer. A slot is free when it is null.
  static final class RingBuffer {
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

  /// An event that is not written yet, and its time in milliseconds.
  record PendingEvent(AuditEvent event, long at) {}
}
