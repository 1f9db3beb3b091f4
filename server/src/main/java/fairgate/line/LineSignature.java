package fairgate.line;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Signatures of LINE's webhooks: Base64 of HMAC-SHA256 over the body as it came. Every configured
/// secret verifies, so that one can be replaced without losing an event. Without a secret nothing
/// is genuine.
final class LineSignature {
  static final String HEADER = "x-line-signature";

  private static final String ALGORITHM = "HmacSHA256";

  /// Base64 of 32 bytes.
  private static final int LENGTH = 44;

  /// Ready to sign; never used themselves, only copied.
  private final List<Mac> secrets;

  LineSignature(List<String> secrets) {
    this.secrets = secrets.stream().map(LineSignature::prepared).toList();
  }

  /// Whether the header is the body's signature. Anything that is no signature is just wrong.
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
      // No early end: how long it takes says nothing about which secret was right.
      found |= MessageDigest.isEqual(sum(secret, body), given);
    }
    return found;
  }

  private static byte[] sum(Mac secret, byte[] body) {
    try {
      return ((Mac) secret.clone()).doFinal(body);
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("HMAC-SHA256 of this Java cannot be copied", e);
    }
  }

  private static Mac prepared(String secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
    }
  }
}
