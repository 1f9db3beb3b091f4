package fairgate.platform.audit;

import io.vertx.core.Context;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Where events wait: a ring for each event loop, and one that all other threads share.
final class Rings {
  private final int size;
  private final Map<Thread, Ring> loops = new ConcurrentHashMap<>();
  private final Ring shared;
  private final LongAdder lost = new LongAdder();

  /// @param size of each ring; rounded up to a power of two
  Rings(int size) {
    this.size = Integer.highestOneBit(Math.max(2, size) * 2 - 1);
    this.shared = new Ring(this.size);
  }

  /// Puts the event in, or counts it as lost.
  void add(Noted noted) {
    boolean taken;
    if (Context.isOnEventLoopThread()) {
      Thread thread = Thread.currentThread();
      Ring ring = loops.get(thread);
      if (ring == null) {
        ring = loops.computeIfAbsent(thread, _ -> new Ring(size));
      }
      taken = ring.offer(noted);
    } else {
      synchronized (shared) {
        taken = shared.offer(noted);
      }
    }
    if (!taken) {
      lost.increment();
    }
  }

  /// Takes out up to so many. For one thread.
  void drain(List<Noted> into, int most) {
    for (Ring ring : loops.values()) {
      drain(ring, into, most);
    }
    drain(shared, into, most);
  }

  /// Counts events as lost that were taken out already.
  void lose(int events) {
    lost.add(events);
  }

  /// How many were lost, ever.
  long lost() {
    return lost.sum();
  }

  /// About how many wait.
  int size() {
    return shared.size() + loops.values().stream().mapToInt(Ring::size).sum();
  }

  private static void drain(Ring ring, List<Noted> into, int most) {
    while (into.size() < most) {
      @Nullable Noted noted = ring.poll();
      if (noted == null) {
        return;
      }
      into.add(noted);
    }
  }
}
