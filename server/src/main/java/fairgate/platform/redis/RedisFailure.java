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

  /// Whether another node owns the slot now; nothing ran.
  boolean hasMoved() {
    return String.valueOf(getMessage()).startsWith("MOVED ");
  }

  /// The owner as a `MOVED` answer tells it: `host:port`; the host may be left out.
  String movedTo() {
    String text = String.valueOf(getMessage());
    return text.substring(text.lastIndexOf(' ') + 1);
  }

  /// Whether the slot is on its way from one node to another; nothing ran.
  boolean isMoving() {
    String text = String.valueOf(getMessage());
    return text.startsWith("ASK ") || text.startsWith("TRYAGAIN");
  }

  /// Whether the cluster serves this slot, or any, at the moment; nothing ran.
  boolean isClusterDown() {
    return String.valueOf(getMessage()).startsWith("CLUSTERDOWN");
  }

  boolean missesScript() {
    return String.valueOf(getMessage()).startsWith("NOSCRIPT");
  }
}
