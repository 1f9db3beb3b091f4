package fairgate.account;

import fairgate.account.Budgets.Budget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Limits in the memory of this node, for use while Redis is unavailable: every node then grants
/// the whole limit.
final class LocalBudgets {
  /// Far more addresses than one node sees in a minute. Beyond it, calls of new subjects are
  /// refused.
  private static final int MAX_KEYS = 100_000;

  private final LongSupplier nanos;
  private final ConcurrentHashMap<String, Window> windows = new ConcurrentHashMap<>();

  /// @param nanos a clock that never steps back
  LocalBudgets(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /// The calls of one window, by their times.
  private record Window(long length, ArrayDeque<Long> calls) {
    void forget(long now) {
      while (!calls.isEmpty() && now - calls.getFirst() >= length) {
        var _ = calls.removeFirst();
      }
    }
  }

  /// How long to wait; zero when the call is granted.
  Duration spend(Budget budget, String who) {
    long now = nanos.getAsLong();
    if (windows.size() >= MAX_KEYS) {
      windows.keySet().forEach(key -> dropIfEmpty(key, now));
      if (windows.size() >= MAX_KEYS) {
        return budget.window();
      }
    }
    long[] wait = {0};
    var _ =
        windows.compute(
            AccountKeys.budget(budget.name(), who),
            (_, old) -> {
              Window window =
                  old == null ? new Window(budget.window().toNanos(), new ArrayDeque<>()) : old;
              window.forget(now);
              if (window.calls().size() < budget.max()) {
                window.calls().addLast(now);
              } else {
                wait[0] = Math.max(1, window.calls().getFirst() + window.length() - now);
              }
              return window;
            });
    return Duration.ofNanos(wait[0]);
  }

  /// Whether nothing of this budget is used in the window that ends now.
  boolean isUnused(Budget budget, String who) {
    long now = nanos.getAsLong();
    boolean[] used = {false};
    var _ =
        windows.computeIfPresent(
            AccountKeys.budget(budget.name(), who),
            (_, window) -> {
              window.forget(now);
              used[0] = !window.calls().isEmpty();
              return window;
            });
    return !used[0];
  }

  private void dropIfEmpty(String key, long now) {
    var _ =
        windows.computeIfPresent(
            key,
            (_, window) -> {
              window.forget(now);
              return window.calls().isEmpty() ? null : window;
            });
  }
}
