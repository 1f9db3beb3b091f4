package fairgate.platform.events;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A stop flag with a sleep that ends as soon as the flag is set.
final class StopSignal {
  private final CountDownLatch stop = new CountDownLatch(1);

  /// Sleeps for this time, or until stopped.
  void sleep(Duration time) {
    try {
      var _ = stop.await(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
    }
  }

  void stop() {
    stop.countDown();
  }

  boolean stopped() {
    return stop.getCount() == 0;
  }

  /// Exponential backoff from 50 ms to 2 s.
  static final class Backoff {
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
}
