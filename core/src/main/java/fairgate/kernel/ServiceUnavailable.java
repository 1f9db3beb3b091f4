package fairgate.kernel;

import java.io.Serial;
import java.time.Duration;

/// A required engine did not respond. The step may or may not have happened. Callers repeat it with
/// the same ids; a repeat of a completed step changes nothing.
public final class ServiceUnavailable extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private static final Duration REFUSAL_RETRY = Duration.ofSeconds(1);

  private final Duration retryAfter;
  private final boolean refusal;

  /// @param reason for the log; never shown to callers
  /// @param retryAfter when to try again
  public ServiceUnavailable(String reason, Duration retryAfter) {
    this(reason, retryAfter, false);
  }

  private ServiceUnavailable(String reason, Duration retryAfter, boolean refusal) {
    super(reason, null, false, false);
    this.retryAfter = retryAfter;
    this.refusal = refusal;
  }

  /// An engine that refuses its clients until an operator acts: a wrong password, a certificate
  /// that is not trusted, an unknown database. A server that runs tries again; a program that
  /// starts gives up at once.
  ///
  /// @param reason says what to do; for the log
  public static ServiceUnavailable refused(String reason) {
    return new ServiceUnavailable(reason, REFUSAL_RETRY, true);
  }

  /// Whether only an operator can end it.
  public boolean isRefusal() {
    return refusal;
  }

  /// When to try again.
  public Duration retryAfter() {
    return retryAfter;
  }
}
