package fairgate.line;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Verifies the signature of LINE's webhooks: Base64 of HMAC-SHA256 over the raw body. A signature
/// by any configured secret is valid, so that a secret can be replaced without losing an event.
/// Without a secret no signature is valid.
final class LineSignature {
  static final String HEADER = "x-line-signature";

  private static final String ALGORITHM = "HmacSHA256";

  /// Base64 of 32 bytes.
  private static final int LENGTH = 44;

  /// Initialised prototypes; each use clones one.
  private final List<Mac> secrets;

  LineSignature(List<String> secrets) {
    this.secrets = secrets.stream().map(LineSignature::prepared).toList();
  }

  /// Whether the header is a valid signature of the body. A malformed header is invalid.
  boolean verifies(@Nullable String header, byte[] body) {
    if (header == null || header.length() != LENGTH) {
      return false;
    }
    byte[] given;
    try {
      given = Base64.getDecoder().decode(header);
    } catch (IllegalArgumentException noBase64) {
      return false;
    }
    boolean found = false;
    for (Mac secret : secrets) {
      // No early exit, so the time does not reveal which secret matched.
      found |= MessageDigest.isEqual(macOf(secret, body), given);
    }
    return found;
  }

  private static byte[] macOf(Mac secret, byte[] body) {
    try {
      return ((Mac) secret.clone()).doFinal(body);
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("This JVM cannot clone an HMAC-SHA256", e);
    }
  }

  private static Mac prepared(String secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM has no HMAC-SHA256", e);
    }
  }
}
