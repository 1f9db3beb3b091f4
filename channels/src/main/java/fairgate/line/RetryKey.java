package fairgate.line;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/// The retry key of an event's push: a name-based UUID of version 5 (RFC 9562, section 5.5), which
/// every node and every attempt derives alike.
final class RetryKey {
  /// The namespace of Fairgate's events: a fixed random UUID.
  private static final UUID NAMESPACE = UUID.fromString("6f0d6c1e-9a55-4b0e-8c44-1f6b7a1d2e93");

  private RetryKey() {}

  static UUID of(String eventId) {
    return of(NAMESPACE, eventId);
  }

  /// The UUID of a name within a namespace.
  static UUID of(UUID namespace, String name) {
    try {
      // Version 5 is defined with SHA-1; nothing secret depends on it.
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(
          ByteBuffer.allocate(16)
              .putLong(namespace.getMostSignificantBits())
              .putLong(namespace.getLeastSignificantBits())
              .array());
      ByteBuffer hash = ByteBuffer.wrap(digest.digest(name.getBytes(StandardCharsets.UTF_8)));
      long high = (hash.getLong() & ~0xf000L) | 0x5000L;
      long low = (hash.getLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
      return new UUID(high, low);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This JVM has no SHA-1", e);
    }
  }
}
