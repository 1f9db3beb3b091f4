package fairgate.platform.events;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/// Tracks the position up to which a stream may be trimmed, without asking Redis.
final class TrimTracker {
  private final int margin;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();
  private long count;
  private Optional<StreamPosition> floor = Optional.empty();

  private record Step(StreamPosition last, int entries) {}

  TrimTracker(int margin) {
    this.margin = margin;
  }

  void add(List<OutboxEntry> finished) {
    StreamPosition last = StreamPosition.of(finished.getLast().id());
    Step before = steps.peekLast();
    if (before != null && last.compareTo(before.last()) <= 0) {
      return;
    }
    steps.add(new Step(last, finished.size()));
    count += finished.size();
    while (count - steps.getFirst().entries() >= margin && steps.size() > 1) {
      Step oldest = steps.removeFirst();
      count -= oldest.entries();
      floor = Optional.of(oldest.last());
    }
  }

  /// The position of an entry followed by at least `margin` finished entries; empty until there is
  /// one.
  Optional<StreamPosition> floor() {
    return floor;
  }
}
