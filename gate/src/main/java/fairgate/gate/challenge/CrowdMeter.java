package fairgate.gate.challenge;

import java.time.Clock;
import java.util.List;

/// Measures the rate of challenge requests on this node, which sets the cost of each: with more
/// participants, a bot's share of a processor is worth less. With several nodes behind a balancer,
/// the levels are per node.
///
/// The rate is the count of the current second plus the part of the previous second's count that is
/// less than a second old.
final class CrowdMeter {
  private static final long SECOND = 1_000;

  private final List<CostLevel> levels;
  private final Clock clock;
  private long second;
  private int last;
  private int running;

  /// @param levels in rising order
  CrowdMeter(List<CostLevel> levels, Clock clock) {
    this.levels = levels;
    this.clock = clock;
  }

  /// Counts one challenge and returns the factor on its cost.
  synchronized int next() {
    long now = clock.millis();
    long current = Math.floorDiv(now, SECOND);
    if (current != second) {
      last = current == second + 1 ? running : 0;
      running = 0;
      second = current;
    }
    running++;
    long left = SECOND - Math.floorMod(now, SECOND);
    return CostLevel.factor(levels, running + last * left / SECOND);
  }
}
