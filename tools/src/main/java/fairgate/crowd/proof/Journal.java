package fairgate.crowd.proof;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Every reply anybody got, in the order they came in. In memory, at most two million: then it is
/// full, and whoever drives the crowd has to stop it.
public final class Journal {
  private static final int MOST = 2_000_000;

  private final Queue<RecordedCall> all = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private final Queue<RecordedCall> fresh = new ConcurrentLinkedQueue<>();
  private final Map<String, Integer> sentByKey = new ConcurrentHashMap<>();

  /// Notes that a purchase is about to be sent.
  void sending(String key) {
    sentByKey.merge(key, 1, Integer::sum);
  }

  /// How often a purchase with this key was sent so far.
  public int repeats(String key) {
    return sentByKey.getOrDefault(key, 0);
  }

  /// The next successful purchase that was not returned here before; null if there is none.
  public @Nullable RecordedCall nextAccept() {
    return fresh.poll();
  }

  /// Adds a call; drops it if there is no room, which `full` reports.
  public void add(RecordedCall call) {
    if (count.incrementAndGet() <= MOST) {
      all.add(call);
      if (call.act() == CallType.PURCHASE && call.answer().ok()) {
        accepted.incrementAndGet();
        fresh.add(call);
      }
    }
  }

  /// Whether something was not kept.
  public boolean full() {
    return count.get() > MOST;
  }

  public int size() {
    return Math.min(MOST, count.get());
  }

  /// How many purchases were answered with success, repeats included.
  public int accepted() {
    return accepted.get();
  }

  /// The calls of one kind so far.
  public List<RecordedCall> of(CallType act) {
    return stream().filter(call -> call.act() == act).toList();
  }

  public Stream<RecordedCall> stream() {
    return all.stream();
  }
}
