package fairgate.platform.run;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/// Sliding-window limits of calls, counted in the memory of this node. Bounded: beyond 100,000
/// subjects, subjects with few calls are forgotten, and start anew. A stranger with so many
/// subjects has as many budgets anyway, and nobody else is refused because of them. Safe for use by
/// any thread.
public final class LocalBudgets {
  private static final int MAX_SUBJECTS = 100_000;

  private final LongSupplier nanos;
  private final Cache<String, Window> windows;

  /// @param nanos a clock that never steps back, such as `System::nanoTime`
  public LocalBudgets(LongSupplier nanos) {
    this.nanos = nanos;
    this.windows =
        Caffeine.newBuilder()
            .maximumSize(MAX_SUBJECTS)
            .ticker(nanos::getAsLong)
            .expireAfter(
                Expiry.<String, Window>accessing((_, window) -> Duration.ofNanos(window.length())))
            .build();
  }

  /// A limit of `max` calls in any window.
  ///
  /// @param name budgets with different names are counted apart
  public record Budget(String name, int max, Duration window) {}

  /// The calls of one window, by their times.
  private record Window(long length, ArrayDeque<Long> calls) {
    void forget(long now) {
      while (!calls.isEmpty() && now - calls.getFirst() >= length) {
        var _ = calls.removeFirst();
      }
    }
  }

  /// Counts a call of the subject, if it is granted.
  ///
  /// @return zero if it is granted, otherwise the time to wait
  public Duration spend(Budget budget, String subject) {
    return check(budget, subject, true);
  }

  /// Takes back the latest call of the subject, if one is counted.
  public void giveBack(String budget, String subject) {
    var _ =
        windows
            .asMap()
            .computeIfPresent(
                budget + ':' + subject,
                (_, window) -> {
                  var _ = window.calls().pollLast();
                  return window;
                });
  }

  /// Zero if a call would be granted, otherwise the time to wait. Counts nothing.
  public Duration waitFor(Budget budget, String subject) {
    return check(budget, subject, false);
  }

  /// Whether no call of this subject is counted in the window that ends now.
  public boolean isUnused(Budget budget, String subject) {
    long now = nanos.getAsLong();
    boolean[] used = {false};
    var _ =
        windows
            .asMap()
            .computeIfPresent(
                key(budget, subject),
                (_, window) -> {
                  window.forget(now);
                  used[0] = !window.calls().isEmpty();
                  return window;
                });
    return !used[0];
  }

  private Duration check(Budget budget, String subject, boolean count) {
    long now = nanos.getAsLong();
    long[] wait = {0};
    var _ =
        windows
            .asMap()
            .compute(
                key(budget, subject),
                (_, old) -> {
                  Window window =
                      old == null ? new Window(budget.window().toNanos(), new ArrayDeque<>()) : old;
                  window.forget(now);
                  if (window.calls().size() >= budget.max()) {
                    wait[0] = Math.max(1, window.calls().getFirst() + window.length() - now);
                  } else if (count) {
                    window.calls().addLast(now);
                  }
                  return window;
                });
    return Duration.ofNanos(wait[0]);
  }

  private static String key(Budget budget, String subject) {
    return budget.name() + ':' + subject;
  }
}
