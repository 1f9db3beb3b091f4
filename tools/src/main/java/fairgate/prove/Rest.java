package fairgate.prove;

import fairgate.prove.environment.Waiting;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Waits until the servers have done their pending work.
///
/// @param stuck the time without a change after which the work counts as stuck
/// @param limit the maximum time
/// @param lookMs the time between two looks at the work
/// @param reasons takes the reason why a run is inconclusive
record Rest(Duration stuck, Duration limit, long lookMs, Consumer<String> reasons) {

  /// Waits until the description of the unfinished work is empty. Returns whether a comparison
  /// makes sense: also if something is stuck, because the comparison then shows it. Work that is
  /// not done is a reason that makes the run inconclusive.
  boolean await(Supplier<String> unfinishedWork) {
    long from = System.nanoTime();
    long moved = from;
    String before = "";
    while (true) {
      String left = unfinishedWork.get();
      long now = System.nanoTime();
      if (left.isEmpty()) {
        return true;
      }
      if (!left.equals(before)) {
        before = left;
        moved = now;
      }
      boolean isStuck = now - moved > stuck.toNanos();
      if (isStuck || now - from > limit.toNanos()) {
        reasons.accept(
            "Not everything came to rest within %d s: %s(%s)"
                .formatted((now - from) / 1_000_000_000, left, FaultInjector.load()));
        return isStuck;
      }
      Waiting.rest(lookMs);
    }
  }
}
