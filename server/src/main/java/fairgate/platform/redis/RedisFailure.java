package fairgate.platform.redis;

import java.io.Serial;

/// Redis answered with an error: it refused the call. For a script that declares its keys and
/// writes last, nothing has changed.
public final class RedisFailure extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  RedisFailure(String message) {
    super(message, null, false, false);
  }

  /// Whether Redis is up but will take no writes now: out of memory, read-only, disk failed,
  /// loading, busy.
  public boolean refusesWrites() {
    String text = String.valueOf(getMessage());
    return text.startsWith("OOM")
        || text.startsWith("MISCONF")
        || text.startsWith("READONLY")
        || text.startsWith("LOADING")
        || text.startsWith("BUSY")
        || text.startsWith("MASTERDOWN")
        || text.startsWith("NOREPLICAS");
  }

  boolean missesScript() {
    return String.valueOf(getMessage()).startsWith("NOSCRIPT");
  }
}
