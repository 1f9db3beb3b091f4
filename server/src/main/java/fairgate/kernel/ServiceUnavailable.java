package fairgate.kernel;

import java.io.Serial;
import java.time.Duration;

/// An engine Fairgate needs did not answer. The step asked for may or may not have happened:
/// callers repeat it with the same ids, and every edge is written so that a repeat changes nothing.
public final class ServiceUnavailable extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  /// @param reason for the log, never shown to callers
  /// @param retryAfter when a repeat makes sense
  public ServiceUnavailable(String reason, Duration retryAfter) {
    super(reason, null, false, false);
    this.retryAfter = retryAfter;
  }

  /// When a repeat makes sense.
  public Duration retryAfter() {
    return retryAfter;
  }
}
