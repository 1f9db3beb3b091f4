package fairgate.platform.events;

import java.time.Duration;

/// Pauses that double from 50 ms to 2 s while something stays away.
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(50);
  private static final Duration MOST = Duration.ofSeconds(2);

  private final Pause pause;
  private Duration next = FIRST;

  Backoff(Pause pause) {
    this.pause = pause;
  }

  void rest() {
    pause.rest(next);
    Duration doubled = next.multipliedBy(2);
    next = doubled.compareTo(MOST) < 0 ? doubled : MOST;
  }

  void reset() {
    next = FIRST;
  }
}
