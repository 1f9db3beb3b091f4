package fairgate.platform.events;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/// Remembers where in a stream the last so many finished entries begin, without asking Redis.
final class FinishedTail {
  private final int margin;
  private final ArrayDeque<Step> steps = new ArrayDeque<>();
  private long count;
  private Optional<StreamPosition> floor = Optional.empty();

  private record Step(StreamPosition last, int entries) {}

  FinishedTail(int margin) {
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

  /// An entry after which at least `margin` entries have been finished, once there is one.
  Optional<StreamPosition> floor() {
    return floor;
  }
}
