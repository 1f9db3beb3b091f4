package fairgate.app;

import fairgate.kernel.Ids;
import java.time.Clock;

/// The clock and the id generator of the features.
public record ClockAndIds(Clock clock, Ids ids) {
  /// The system clock and random ids.
  static ClockAndIds real() {
    Clock clock = Clock.systemUTC();
    return new ClockAndIds(clock, new RandomIds(clock));
  }
}
