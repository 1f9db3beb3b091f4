package fairgate.kernel;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Signs and verifies webhooks by Standard Webhooks (standardwebhooks.com, version 1, symmetric):
/// HMAC-SHA256 of `id.timestamp.body` in the header `webhook-signature` as `v1,<base64>`, several
/// separated by spaces. Every configured secret verifies and signs. To replace a secret, add the
/// new one in front, give it to the other side, and later remove the old one.
public final class WebhookSignature {
  public static final String ID = "webhook-id";
  public static final String TIMESTAMP = "webhook-timestamp";
  public static final String SIGNATURE = "webhook-signature";

  private static final Duration TOLERANCE = Duration.ofMinutes(5);
  private static final String SECRET_PREFIX = "whsec_";
  private static final String VERSION = "v1,";
  private static final int MAX_SIGNATURES = 16;
  private static final int MAX_ID_LENGTH = 256;
  private static final int MIN_SECRET_BYTES = 24;

  private final List<SecretKeySpec> keys;
  private final Clock clock;

  /// @param secrets `whsec_` and base64 of at least 24 bytes
  public WebhookSignature(List<String> secrets, Clock clock) {
    this.keys = secrets.stream().map(WebhookSignature::key).toList();
    this.clock = clock;
  }

  public enum Result {
    /// The signature is valid and the timestamp is current.
    GENUINE,
    /// The signature is valid, but the timestamp differs by more than five minutes.
    STALE,
    /// The signature is invalid, or headers are missing.
    FORGED
  }

  /// Verifies a message by its three headers and the bytes of its body.
  public Result verify(
      @Nullable String id, @Nullable String timestamp, @Nullable String signatures, byte[] body) {
    if (id == null || id.isEmpty() || id.length() > MAX_ID_LENGTH) {
      return Result.FORGED;
    }
    if (timestamp == null || signatures == null || !timestamp.matches("[0-9]{1,12}")) {
      return Result.FORGED;
    }
    if (!matches(id, timestamp, signatures, body)) {
      return Result.FORGED;
    }
    long age = Math.abs(clock.instant().getEpochSecond() - Long.parseLong(timestamp));
    return age <= TOLERANCE.toSeconds() ? Result.GENUINE : Result.STALE;
  }

  /// The headers for an outgoing message. Throws IllegalStateException without a secret.
  public Map<String, String> sign(String id, byte[] body) {
    if (keys.isEmpty()) {
      throw new IllegalStateException("there is no webhook secret to sign with");
    }
    String timestamp = Long.toString(clock.instant().getEpochSecond());
    String signatures =
        keys.stream()
            .map(key -> VERSION + Base64.getEncoder().encodeToString(mac(key, id, timestamp, body)))
            .collect(Collectors.joining(" "));
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put(ID, id);
    headers.put(TIMESTAMP, timestamp);
    headers.put(SIGNATURE, signatures);
    return headers;
  }

  private boolean matches(String id, String timestamp, String signatures, byte[] body) {
    String[] given = signatures.split(" ", MAX_SIGNATURES + 1);
    boolean found = false;
    for (SecretKeySpec key : keys) {
      String right = VERSION + Base64.getEncoder().encodeToString(mac(key, id, timestamp, body));
      byte[] expected = right.getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < given.length && i < MAX_SIGNATURES; i++) {
        // Compares all pairs, so that the duration does not reveal which secret or byte matched.
        found |= MessageDigest.isEqual(expected, given[i].getBytes(StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  private static byte[] mac(SecretKeySpec key, String id, String timestamp, byte[] body) {
    Mac mac = Hashes.hmac(key.getEncoded());
    mac.update((id + '.' + timestamp + '.').getBytes(StandardCharsets.UTF_8));
    return mac.doFinal(body);
  }

  private static SecretKeySpec key(String secret) {
    if (!secret.startsWith(SECRET_PREFIX)) {
      throw new IllegalArgumentException("a webhook secret starts with " + SECRET_PREFIX);
    }
    byte[] bytes = Base64.getDecoder().decode(secret.substring(SECRET_PREFIX.length()));
    if (bytes.length < MIN_SECRET_BYTES) {
      throw new IllegalArgumentException("a webhook secret is at least 24 bytes in base64");
    }
    return new SecretKeySpec(bytes, "HmacSHA256");
  }
}
