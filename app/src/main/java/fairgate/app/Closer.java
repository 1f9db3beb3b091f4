package fairgate.app;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes the started components in reverse order. A second close has no effect.
final class Closer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Closer.class);

  private final Deque<AutoCloseable> started = new ArrayDeque<>();

  /// Registers a started component.
  @CanIgnoreReturnValue
  synchronized <T extends AutoCloseable> T add(T component) {
    started.push(component);
    return component;
  }

  @Override
  public synchronized void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        LOG.warn("Could not stop a component cleanly", e);
      }
    }
  }
}
