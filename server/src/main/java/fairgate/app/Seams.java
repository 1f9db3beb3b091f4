package fairgate.app;

import fairgate.kernel.Ids;
import java.time.Clock;

/// Time and chance, as the features see them.
public record Seams(Clock clock, Ids ids) {
  /// The real world's.
  static Seams real() {
    Clock clock = Clock.systemUTC();
    return new Seams(clock, new RandomIds(clock));
  }
}
