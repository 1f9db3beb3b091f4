package fairgate.line;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/// The tokens in join links: `base64url(payload) "." base64url(HMAC-SHA256(key, payload))`, where
/// the payload is `1|key id|LINE user|product|nonce|expiry`. The key is derived for this purpose
/// alone. Whether a link was used before is known to Redis, by its nonce.
final class JoinTokens {
  /// How long a link leads somewhere.
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

  /// What a token says: this user may bind one place of this sale.
  record Link(String userId, ProductId product, String nonce) {}

  /// A new token; every call gives another one.
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

  /// What a token says; empty when it is not ours, was changed, or is too old.
  Optional<Link> read(String token) {
    int dot = token.indexOf('.');
    if (dot < 1 || token.length() > LONGEST) {
      return Optional.empty();
    }
    try {
      String payload = new String(DECODER.decode(token.substring(0, dot)), StandardCharsets.UTF_8);
      byte[] signature = DECODER.decode(token.substring(dot + 1));
      String[] parts = payload.split("\\|", -1);
      // Base64 leaves bits unused at the end; only the one spelling we write is a token of ours.
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
