package fairgate.platform.events;

import java.time.Duration;

/// Exponential backoff from 50 ms to 2 s.
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration MAX = Duration.ofSeconds(2);

  private final StopSignal stop;
  private Duration next = FIRST;

  Backoff(StopSignal stop) {
    this.stop = stop;
  }

  void pause() {
    stop.sleep(next);
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(MAX) < 0 ? doubled : MAX;
  }

  void reset() {
    next = FIRST;
  }
}
