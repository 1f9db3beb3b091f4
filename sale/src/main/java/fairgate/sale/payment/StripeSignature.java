package fairgate.sale.payment;

import fairgate.kernel.Hashes;
import fairgate.kernel.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Verifies the header `Stripe-Signature`: `t=SECONDS,v1=HEX,...`, where `v1` is the HMAC-SHA256 of
/// `t.body` with the endpoint's secret (docs.stripe.com/webhooks#verify-manually). Any of several
/// secrets may have signed, so that they can be replaced.
final class StripeSignature {
  static final String HEADER = "stripe-signature";

  /// Stripe's libraries allow the same difference.
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private static final int MAX_LENGTH = 4_096;
  private static final int MAX_SIGNATURES = 16;

  private final List<SecretKeySpec> keys;
  private final Clock clock;

  /// @param secrets `whsec_...`, used as text
  StripeSignature(List<String> secrets, Clock clock) {
    this.keys =
        secrets.stream()
            .map(secret -> new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"))
            .toList();
    this.clock = clock;
  }

  WebhookSignature.Result verify(@Nullable String header, byte[] body) {
    if (header == null || header.length() > MAX_LENGTH) {
      return WebhookSignature.Result.FORGED;
    }
    String time = "";
    List<byte[]> signatures = new ArrayList<>();
    for (String part : header.split(",", MAX_SIGNATURES)) {
      if (part.startsWith("t=")) {
        time = part.substring(2);
      } else if (part.startsWith("v1=")) {
        signatures.add(part.substring(3).getBytes(StandardCharsets.UTF_8));
      }
    }
    if (!time.matches("[0-9]{1,12}") || !matches(time, signatures, body)) {
      return WebhookSignature.Result.FORGED;
    }
    long age = Math.abs(clock.instant().getEpochSecond() - Long.parseLong(time));
    return age <= TOLERANCE.toSeconds()
        ? WebhookSignature.Result.GENUINE
        : WebhookSignature.Result.STALE;
  }

  private boolean matches(String time, List<byte[]> signatures, byte[] body) {
    boolean found = false;
    for (SecretKeySpec key : keys) {
      byte[] expected =
          HexFormat.of().formatHex(mac(key, time, body)).getBytes(StandardCharsets.US_ASCII);
      for (byte[] signature : signatures) {
        found |= MessageDigest.isEqual(expected, signature);
      }
    }
    return found;
  }

  private static byte[] mac(SecretKeySpec key, String time, byte[] body) {
    Mac mac = Hashes.hmac(key.getEncoded());
    mac.update((time + '.').getBytes(StandardCharsets.UTF_8));
    return mac.doFinal(body);
  }
}
