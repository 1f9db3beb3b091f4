package fairgate.platform.audit;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// A bounded queue from one thread to one other, without locks: a slot is free when it is null.
final class Ring {
  private final AtomicReferenceArray<@Nullable Noted> slots;
  private final int mask;

  /// Touched by the giving thread only.
  private int give;

  /// Touched by the taking thread only.
  private int take;

  /// @param size a power of two
  Ring(int size) {
    this.slots = new AtomicReferenceArray<>(size);
    this.mask = size - 1;
  }

  /// Puts the event in, or says that there is no room.
  boolean offer(Noted noted) {
    int slot = give & mask;
    if (slots.getAcquire(slot) != null) {
      return false;
    }
    slots.setRelease(slot, noted);
    give++;
    return true;
  }

  /// The next event, or null when there is none.
  @Nullable Noted poll() {
    int slot = take & mask;
    Noted noted = slots.getAcquire(slot);
    if (noted != null) {
      slots.setRelease(slot, null);
      take++;
    }
    return noted;
  }

  /// About how many wait; for any thread.
  int size() {
    return give - take;
  }
}
