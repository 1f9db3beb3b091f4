package fairgate.app;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What has been started, to be stopped in the reverse order. Safe to close twice.
final class Closing implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  /// Notes that a part has been started.
  @CanIgnoreReturnValue
  synchronized <T extends AutoCloseable> T add(T part) {
    started.push(part);
    return part;
  }

  @Override
  public synchronized void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        LOG.warn("a part did not stop cleanly", e);
      }
    }
  }
}
