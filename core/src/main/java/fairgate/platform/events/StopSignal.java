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
}
