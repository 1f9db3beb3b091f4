package fairgate.platform.embedded;

import org.jspecify.annotations.Nullable;

/// An engine cannot run here; the message tells the operator why and what to do.
public final class EngineFailed extends RuntimeException {
  public EngineFailed(String message) {
    this(message, null);
  }

  public EngineFailed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
