package fairgate.platform.events;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A sleep that ends at once when the relay is told to stop.
final class Pause {
  private final CountDownLatch stop = new CountDownLatch(1);

  /// Waits so long, or less when stopped.
  void rest(Duration time) {
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
