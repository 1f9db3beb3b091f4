package fairgate.platform.http.stream;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/// A short body, gathered until it is whole.
public final class Gathered {
  private static final byte[] NOTHING = {};

  private final int limit;
  private @Nullable Buffer sofar;

  /// A body of at most so many bytes.
  public Gathered(int limit) {
    this.limit = limit;
  }

  /// Adds what has arrived; false when it is too much.
  public boolean add(Buffer chunk) {
    Buffer before = sofar;
    int length = before == null ? 0 : before.length();
    if (length + chunk.length() > limit) {
      return false;
    }
    if (before == null) {
      sofar = chunk;
    } else {
      sofar = (length == chunk.length() ? before.copy() : before).appendBuffer(chunk);
    }
    return true;
  }

  /// All that was added.
  public byte[] bytes() {
    return sofar == null ? NOTHING : sofar.getBytes();
  }

  /// The number a `Content-Length` declares; one that is none is too long for anybody.
  public static long declared(String length) {
    try {
      return Long.parseLong(length.strip());
    } catch (NumberFormatException _) {
      return Long.MAX_VALUE;
    }
  }
}
