package fairgate.platform.http.stream;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/// Collects a short body in memory until it is complete.
public final class BodyBuffer {
  private static final byte[] NOTHING = {};

  private final int limit;
  private @Nullable Buffer buffer;

  public BodyBuffer(int limit) {
    this.limit = limit;
  }

  /// Adds a chunk; false when the body is longer than the limit.
  public boolean add(Buffer chunk) {
    Buffer before = buffer;
    int length = before == null ? 0 : before.length();
    if (length + chunk.length() > limit) {
      return false;
    }
    if (before == null) {
      buffer = chunk;
    } else {
      buffer = (length == chunk.length() ? before.copy() : before).appendBuffer(chunk);
    }
    return true;
  }

  public byte[] bytes() {
    return buffer == null ? NOTHING : buffer.getBytes();
  }

  /// The value of a `Content-Length`; Long.MAX_VALUE when it is not a number.
  public static long declaredLength(String length) {
    try {
      return Long.parseLong(length.strip());
    } catch (NumberFormatException _) {
      return Long.MAX_VALUE;
    }
  }
}
