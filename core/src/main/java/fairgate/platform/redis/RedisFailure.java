package fairgate.platform.redis;

import java.io.Serial;

/// An error reply of Redis: the call was refused. A script that declares its keys and writes last
/// has changed nothing.
public final class RedisFailure extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  RedisFailure(String message) {
    super(message, null, false, false);
  }

  /// Whether Redis is up but cannot serve calls now: out of memory, read-only, disk failed,
  /// loading, busy. Callers get `ServiceUnavailable` instead of this failure.
  boolean isOutage() {
    String text = String.valueOf(getMessage());
    return text.startsWith("OOM")
        || text.startsWith("MISCONF")
        || text.startsWith("READONLY")
        || text.startsWith("LOADING")
        || text.startsWith("BUSY")
        || text.startsWith("MASTERDOWN")
        || text.startsWith("NOREPLICAS");
  }

  /// Whether Redis wants another user or password. Callers get a `ServiceUnavailable` that is a
  /// refusal instead of this failure.
  boolean isLoginRefused() {
    String text = String.valueOf(getMessage());
    return text.startsWith("NOAUTH")
        || text.startsWith("WRONGPASS")
        || text.startsWith("ERR AUTH")
        || text.startsWith("ERR invalid password");
  }

  /// Whether another node owns the slot; nothing has run.
  boolean hasMoved() {
    return String.valueOf(getMessage()).startsWith("MOVED ");
  }

  /// The owner in a `MOVED` reply: `host:port`; the host may be empty.
  String movedTo() {
    String text = String.valueOf(getMessage());
    return text.substring(text.lastIndexOf(' ') + 1);
  }

  /// Whether the slot is being moved between nodes; nothing has run.
  boolean isMoving() {
    String text = String.valueOf(getMessage());
    return text.startsWith("ASK ") || text.startsWith("TRYAGAIN");
  }

  /// Whether the cluster does not serve the slot; nothing has run.
  boolean isClusterDown() {
    return String.valueOf(getMessage()).startsWith("CLUSTERDOWN");
  }

  /// Whether the engine does not have the command; nothing has run.
  boolean isUnknown() {
    return String.valueOf(getMessage()).contains("unknown command");
  }

  boolean missesScript() {
    return String.valueOf(getMessage()).startsWith("NOSCRIPT");
  }
}
