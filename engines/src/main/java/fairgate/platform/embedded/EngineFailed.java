package fairgate.platform.embedded;

import org.jspecify.annotations.Nullable;

/// An engine cannot run. The message tells the operator the reason and the solution.
public final class EngineFailed extends RuntimeException {
  public EngineFailed(String message) {
    this(message, null);
  }

  public EngineFailed(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
