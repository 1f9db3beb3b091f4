package fairgate.platform.observe;

import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The durations of the calls of one client. They are measured from the moment that the client has
/// a meter for them. Thread-safe.
public final class CallTimes {
  private volatile @Nullable Timer timer;

  /// Publishes the durations as a histogram.
  ///
  /// @param name ends with `_seconds`
  public void publish(Metrics metrics, String name, String help) {
    timer = metrics.timer(name, help);
  }

  /// Records a call that began at this time, in `System.nanoTime()`.
  public void ended(long begun) {
    Timer known = timer;
    if (known != null) {
      known.record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
    }
  }
}
