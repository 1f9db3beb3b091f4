package fairgate.platform.http;

import java.time.Duration;

/// Something the answer depends on is away or overloaded: answered 503 `SERVICE_UNAVAILABLE` with
/// `Retry-After`. Carries no stack trace; its cause, when there is one, does.
public final class ServiceUnavailable extends RuntimeException {
  private final Duration retryAfter;

  /// @param reason for the log, never shown to the caller
  public ServiceUnavailable(String reason, Duration retryAfter) {
    super(reason, null, false, false);
    this.retryAfter = retryAfter;
  }

  public ServiceUnavailable(String reason, Duration retryAfter, Throwable cause) {
    super(reason, cause, false, false);
    this.retryAfter = retryAfter;
  }

  public Duration retryAfter() {
    return retryAfter;
  }
}
