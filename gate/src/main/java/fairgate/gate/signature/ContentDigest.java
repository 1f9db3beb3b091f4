package fairgate.gate.signature;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;

/// Verifies the `Content-Digest` of RFC 9530 with SHA-256 or SHA-512.
final class ContentDigest {
  private static final Map<String, String> ALGORITHMS =
      Map.of("sha-256", "SHA-256", "sha-512", "SHA-512");

  private ContentDigest() {}

  /// Whether at least one digest has a known algorithm, and all of those match.
  static boolean matches(String header, byte[] body) {
    int known = 0;
    try {
      for (Map.Entry<String, byte[]> digest : FieldParser.bytes(header).entrySet()) {
        String algorithm = ALGORITHMS.get(digest.getKey());
        if (algorithm != null) {
          known++;
          if (!MessageDigest.isEqual(hash(algorithm, body), digest.getValue())) {
            return false;
          }
        }
      }
    } catch (FieldParser.Malformed e) {
      return false;
    }
    return known > 0;
  }

  private static byte[] hash(String algorithm, byte[] body) {
    try {
      return MessageDigest.getInstance(algorithm).digest(body);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This JVM has no " + algorithm, e);
    }
  }
}
