package fairgate.gate.challenge;

import fairgate.gate.count.DistinctCount;
import fairgate.gate.count.RecentMap;
import fairgate.kernel.ProductId;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/// Counts the challenges that each network has solved for each product, which sets the cost of its
/// next ones: the first places of a network cost the normal work, further places cost more.
///
/// Counts the last ten to twenty minutes on this node. Memory is bounded: every entry costs its
/// network a solved challenge, and a network that does not fit pays the normal cost. Thread-safe
/// and non-blocking.
final class NetworkMeter {
  static final int MAX_NETWORKS = 65_536;

  private static final Duration PERIOD = Duration.ofMinutes(10);

  private final List<CostLevel> levels;
  private final RecentMap<DistinctCount> solutions;

  /// @param levels in rising order
  NetworkMeter(List<CostLevel> levels, Clock clock) {
    this.levels = levels;
    this.solutions = new RecentMap<>(clock, PERIOD, MAX_NETWORKS, DistinctCount::new);
  }

  /// The factor on the cost of the next challenge.
  int factor(ProductId product, String network) {
    return levels.isEmpty()
        ? 1
        : CostLevel.factor(levels, solutions.max(key(product, network), DistinctCount::count));
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
}
