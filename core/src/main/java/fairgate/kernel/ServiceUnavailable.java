package fairgate.kernel;

import java.io.Serial;
import java.time.Duration;

/// A required engine did not respond. The step may or may not have happened. Callers repeat it with
/// the same ids; a repeat of a completed step changes nothing.
public final class ServiceUnavailable extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  /// @param reason for the log; never shown to callers
  /// @param retryAfter when to try again
  public ServiceUnavailable(String reason, Duration retryAfter) {
    super(reason, null, false, false);
    this.retryAfter = retryAfter;
  }

  /// When to try again.
  public Duration retryAfter() {
    return retryAfter;
  }
}
