package fairgate.gate.challenge;

import java.util.concurrent.atomic.AtomicLongArray;

/// Estimates the number of distinct texts by linear counting in 512 bits; within a tenth up to 300.
/// Thread-safe and non-blocking.
public final class DistinctCount {
  private static final int BITS = 512;

  private final AtomicLongArray bits = new AtomicLongArray(BITS / 64);

  /// Counts a text. A repeat changes nothing.
  public void add(String text) {
    int index = (text.hashCode() * 0x9e3779b9) >>> 23;
    long bit = 1L << (index & 63);
    long _ = bits.accumulateAndGet(index >> 6, bit, (a, b) -> a | b);
  }

  public int count() {
    int free = BITS;
    for (int i = 0; i < bits.length(); i++) {
      free -= Long.bitCount(bits.get(i));
    }
    return free == 0 ? BITS * 4 : (int) Math.round(-BITS * Math.log((double) free / BITS));
  }
}
