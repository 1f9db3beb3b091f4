package fairgate.kernel;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Stops calls to a service that keeps failing. Opens after a number of failures in a row; while
/// open it lets one probe pass per pause; the first success closes it. Safe for use by any thread.
public final class CircuitBreaker {
  private final int limit;
  private final long spanNanos;
  private final long pauseNanos;
  private final LongSupplier nanos;
  private volatile boolean open;
  private int failures;
  private long firstFailure;
  private long nextProbe;

  /// A breaker that opens at the last of `limit` failures in a row.
  ///
  /// @param pause time between probes while it is open
  /// @param nanos the clock, such as `System.nanoTime`
  public CircuitBreaker(int limit, Duration pause, LongSupplier nanos) {
    this(limit, Duration.ZERO, pause, nanos);
  }

  /// A breaker that does not open on calls that fail at the same moment.
  ///
  /// @param span least time from the first failure in a row to the one that opens it
  public CircuitBreaker(int limit, Duration span, Duration pause, LongSupplier nanos) {
    this.limit = limit;
    this.spanNanos = span.toNanos();
    this.pauseNanos = pause.toNanos();
    this.nanos = nanos;
  }

  /// Whether a call may be made now.
  public boolean allows() {
    return !open || allowsProbe();
  }

  private synchronized boolean allowsProbe() {
    long now = nanos.getAsLong();
    if (open && now - nextProbe < 0) {
      return false;
    }
    nextProbe = now + pauseNanos;
    return true;
  }

  /// Records a failed call.
  ///
  /// @return whether it opened the breaker
  public synchronized boolean failed() {
    long now = nanos.getAsLong();
    if (failures == 0) {
      firstFailure = now;
    }
    failures = Math.min(failures + 1, limit);
    if (open || failures < limit || now - firstFailure < spanNanos) {
      return false;
    }
    open = true;
    nextProbe = now + pauseNanos;
    return true;
  }

  /// Records a call that succeeded.
  ///
  /// @return whether it closed the breaker
  public synchronized boolean succeeded() {
    boolean wasOpen = open;
    failures = 0;
    open = false;
    return wasOpen;
  }

  public boolean isOpen() {
    return open;
  }
}
