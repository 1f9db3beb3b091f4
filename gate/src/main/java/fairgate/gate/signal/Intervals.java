package fairgate.gate.signal;

/// The times of the last events of one source, to recognise equal intervals. Thread-safe.
///
/// People arrive at random: the intervals of their arrivals vary as much as their mean. A loop with
/// a pause gives intervals that differ by a few milliseconds.
final class Intervals {
  private static final int KEPT = 8;
  private static final long SHORTEST_MEAN_MILLIS = 20;

  private final long[] times = new long[KEPT];
  private int count;

  synchronized void add(long nowMillis) {
    times[count % KEPT] = nowMillis;
    count++;
  }

  /// Whether the last seven intervals differ from their mean by at most a twentieth. False with
  /// fewer events, and with intervals too short to compare.
  synchronized boolean areEqual() {
    if (count < KEPT) {
      return false;
    }
    long previous = times[count % KEPT];
    long mean = (times[(count - 1) % KEPT] - previous) / (KEPT - 1);
    if (mean < SHORTEST_MEAN_MILLIS) {
      return false;
    }
    for (int i = 1; i < KEPT; i++) {
      long time = times[(count + i) % KEPT];
      if (Math.abs(time - previous - mean) * 20 > mean) {
        return false;
      }
      previous = time;
    }
    return true;
  }
}
