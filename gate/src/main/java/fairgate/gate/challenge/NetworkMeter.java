package fairgate.gate.challenge;

import fairgate.kernel.ProductId;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counts the challenges that each network has solved for each product, which sets the cost of its
/// next ones: the first places of a network cost the normal work, further places cost more.
///
/// Counts the last ten to twenty minutes on this node. Memory is bounded: every entry costs its
/// network a solved challenge, and a network that does not fit pays the normal cost. Thread-safe
/// and non-blocking.
final class NetworkMeter {
  private final List<CostLevel> levels;
  private final RecentMap<Solutions> solutions;

  /// @param levels in rising order
  NetworkMeter(List<CostLevel> levels, Clock clock) {
    this.levels = levels;
    this.solutions = new RecentMap<>(clock, Solutions::new);
  }

  /// The factor on the cost of the next challenge.
  int factor(ProductId product, String network) {
    return levels.isEmpty()
        ? 1
        : CostLevel.factor(levels, solutions.max(key(product, network), Solutions::count));
  }

  /// Records a solved challenge. A repeat with the same nonce changes nothing, so nobody can raise
  /// the cost of the neighbours by sending one solution many times.
  void solved(ProductId product, String network, String nonce) {
    if (!levels.isEmpty()) {
      solutions.touch(key(product, network), one -> one.add(nonce));
    }
  }

  private static String key(ProductId product, String network) {
    return product.value() + ' ' + network;
  }

  /// Estimates a number of distinct nonces by linear counting in 512 bits; within a tenth up to
  /// 300.
  private static final class Solutions {
    private static final int BITS = 512;

    private final AtomicLongArray bits = new AtomicLongArray(BITS / 64);

    void add(String nonce) {
      // The nonce is random already; this spreads the hash of its text.
      int index = (nonce.hashCode() * 0x9e3779b9) >>> 23;
      long bit = 1L << (index & 63);
      long _ = bits.accumulateAndGet(index >> 6, bit, (a, b) -> a | b);
    }

    int count() {
      int free = BITS;
      for (int i = 0; i < bits.length(); i++) {
        free -= Long.bitCount(bits.get(i));
      }
      return free == 0 ? BITS * 4 : (int) Math.round(-BITS * Math.log((double) free / BITS));
    }
  }
}
