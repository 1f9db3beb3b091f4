package fairgate.bench.soak;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/// Counts replies and their durations. Thread-safe.
final class Tally {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int COME_BACK = 503;

  private final Map<Act, Times> times = new EnumMap<>(Act.class);
  private final Map<Act, Long> granted = new EnumMap<>(Act.class);
  private final Map<String, Integer> wrong = new TreeMap<>();
  private final Map<String, Integer> refused = new TreeMap<>();

  /// How long one kind of act took since the last look.
  ///
  /// @param p50, p99 in milliseconds
  record Speed(int count, double p50, double p99) {}

  /// @param status 0 when no answer came
  synchronized void done(Act act, int status, long nanos) {
    times.computeIfAbsent(act, _ -> new Times()).add(nanos / 1000);
    if (act.granted(status)) {
      granted.merge(act, 1L, Long::sum);
    } else if (status == TOO_MANY_REQUESTS || status == COME_BACK) {
      refused.merge(act.wording() + " " + status, 1, Integer::sum);
    } else {
      wrong(act.wording() + " " + (status == 0 ? "without an answer" : Integer.toString(status)));
    }
  }

  synchronized void wrong(String what) {
    wrong.merge(what, 1, Integer::sum);
  }

  /// The speeds since the last call.
  synchronized Map<Act, Speed> speeds() {
    Map<Act, Speed> speeds = new EnumMap<>(Act.class);
    times.forEach((act, all) -> speeds.put(act, all.speed()));
    times.clear();
    return speeds;
  }

  synchronized long granted(Act act) {
    return granted.getOrDefault(act, 0L);
  }

  synchronized long granted() {
    return granted.values().stream().mapToLong(Long::longValue).sum();
  }

  /// Refusals with a retry time: limits and unavailable engines.
  synchronized Map<String, Integer> refused() {
    return new TreeMap<>(refused);
  }

  /// Unexpected replies and their number.
  synchronized Map<String, Integer> wrong() {
    return new TreeMap<>(wrong);
  }

  /// Forgets all.
  synchronized void clear() {
    times.clear();
    granted.clear();
    wrong.clear();
    refused.clear();
  }

  private static final class Times {
    private long[] micros = new long[512];
    private int count;

    void add(long value) {
      if (count == micros.length) {
        micros = Arrays.copyOf(micros, 2 * count);
      }
      micros[count++] = value;
    }

    Speed speed() {
      long[] sorted = Arrays.copyOf(micros, count);
      Arrays.sort(sorted);
      return new Speed(count, at(sorted, 0.5), at(sorted, 0.99));
    }

    private static double at(long[] sorted, double share) {
      return sorted[(int) Math.min(sorted.length - 1L, (long) (share * sorted.length))] / 1e3;
    }
  }
}
