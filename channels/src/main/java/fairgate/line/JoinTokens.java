package fairgate.line;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/// Issues and reads the tokens of join links: `base64url(payload) "." base64url(HMAC-SHA256(key,
/// payload))`, where the payload is `1|key id|LINE user|product|nonce|expiry`. The key is derived
/// for this purpose alone. Redis records by the nonce whether a link was used.
final class JoinTokens {
  static final Duration LIFE = Duration.ofHours(24);

  private static final String PURPOSE = "line-join";
  private static final int LONGEST = 512;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  private final KeyRing keys;
  private final Ids ids;
  private final Clock clock;

  JoinTokens(KeyRing keys, Ids ids, Clock clock) {
    this.keys = keys;
    this.ids = ids;
    this.clock = clock;
  }

  /// The content of a token: the user may bind one session of this sale.
  record Link(String userId, ProductId product, String nonce) {}

  /// A new token. Each call returns a different one.
  String issue(String userId, ProductId product) {
    String keyId = keys.current();
    String payload =
        String.join(
            "|",
            "1",
            keyId,
            userId,
            product.value(),
            ids.nonce(),
            Long.toString(clock.millis() + LIFE.toMillis()));
    return spell(payload, keys.sign(keyId, PURPOSE, payload));
  }

  /// The content of a token; empty when the token is forged, altered or expired.
  Optional<Link> read(String token) {
    int dot = token.indexOf('.');
    if (dot < 1 || token.length() > LONGEST) {
      return Optional.empty();
    }
    try {
      String payload = new String(DECODER.decode(token.substring(0, dot)), StandardCharsets.UTF_8);
      byte[] signature = DECODER.decode(token.substring(dot + 1));
      String[] parts = payload.split("\\|", -1);
      // Base64 leaves bits unused at the end. Only the canonical encoding is accepted.
      if (parts.length != 6
          || !token.equals(spell(payload, signature))
          || !keys.verify(parts[1], PURPOSE, payload, signature)
          || Long.parseLong(parts[5]) <= clock.millis()) {
        return Optional.empty();
      }
      return Optional.of(new Link(parts[2], new ProductId(parts[3]), parts[4]));
    } catch (IllegalArgumentException notOurs) {
      return Optional.empty();
    }
  }

  private static String spell(String payload, byte[] signature) {
    return ENCODER.encodeToString(payload.getBytes(StandardCharsets.UTF_8))
        + "."
        + ENCODER.encodeToString(signature);
  }
}
