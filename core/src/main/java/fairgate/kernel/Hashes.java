package fairgate.kernel;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// SHA-256 and HMAC-SHA256, which every Java has.
public final class Hashes {
  private static final String HMAC = "HmacSHA256";

  private Hashes() {}

  /// The SHA-256 of the bytes; 32 bytes.
  public static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  /// The SHA-256 of the text in UTF-8; 32 bytes.
  public static byte[] sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  /// The SHA-256 of the text in UTF-8, in hexadecimal.
  public static String sha256Hex(String text) {
    return HexFormat.of().formatHex(sha256(text));
  }

  /// An HMAC-SHA256 with this key. It is not thread-safe.
  public static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
    }
  }
}
