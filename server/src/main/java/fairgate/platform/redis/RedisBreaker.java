package fairgate.platform.redis;

import java.util.concurrent.TimeUnit;

/// Stops asking a Redis that does not answer in time, and asks it now and then whether it does
/// again. There is one for each Redis. A stall of some calls under way at once does not open it: it
/// takes five failures, and a tenth of a second of nothing else. Times are of `System.nanoTime()`.
public final class RedisBreaker {
  private static final int FAILURES = 5;
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

  private volatile boolean open;
  private int failures;
  private long first;
  private long next;

  /// Whether a call may be sent. While it is open, one in half a second may, to find out.
  public boolean allows(long now) {
    return !open || probes(now);
  }

  private synchronized boolean probes(long now) {
    if (open && now - next < 0) {
      return false;
    }
    next = now + PAUSE;
    return true;
  }

  /// An answer came in time, whatever it said.
  public void succeeded() {
    if (open || failures > 0) {
      close();
    }
  }

  private synchronized void close() {
    failures = 0;
    open = false;
  }

  /// No answer came in time.
  public synchronized void failed(long now) {
    if (failures++ == 0) {
      first = now;
    }
    if (!open && failures >= FAILURES && now - first >= PATIENCE) {
      open = true;
      next = now + PAUSE;
    }
  }

  public boolean isOpen() {
    return open;
  }
}
