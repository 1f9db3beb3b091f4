package fairgate.gate.challenge;

import java.time.Clock;
import java.util.List;

/// How big a crowd asks this node for challenges, and so how many times as dear each is: the more
/// take part, the less a bot's share of a processor is worth. It counts this node's own crowd, so
/// with several nodes behind a balancer the levels are per node.
///
/// A crowd is what the last second and the running one add up to, the last one in proportion to how
/// much of it lies less than a second back.
final class CrowdMeter {
  private static final long SECOND = 1_000;

  private final List<CrowdLevel> levels;
  private final Clock clock;
  private long second;
  private int last;
  private int running;

  /// @param levels by rising crowd
  CrowdMeter(List<CrowdLevel> levels, Clock clock) {
    this.levels = levels;
    this.clock = clock;
  }

  /// Counts one more challenge; how many times as dear it is.
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
    return factor(running + last * left / SECOND);
  }

  private int factor(long crowd) {
    int factor = 1;
    for (CrowdLevel level : levels) {
      if (crowd > level.perSecond()) {
        factor = level.factor();
      }
    }
    return factor;
  }
}
