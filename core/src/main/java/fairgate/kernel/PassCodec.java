package fairgate.kernel;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/// Encodes and decodes purchase tokens: `base64url(payload) "." base64url(HMAC-SHA256(key,
/// payload))`.
///
/// The payload is `1|key id|product|session|device hash|nonce|expiry|epoch`; no part can contain a
/// vertical bar. The key is derived for this purpose only, so no other signature of the server is
/// valid as a token.
public final class PassCodec {
  private static final String PURPOSE = "purchase-token";
  private static final int MAX_LENGTH = 512;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  private final KeyRing keys;

  public PassCodec(KeyRing keys) {
    this.keys = keys;
  }

  /// The token for a pass. The same pass and key give the same token.
  public String encode(Pass pass) {
    String keyId = keys.current();
    String payload =
        String.join(
            "|",
            "1",
            keyId,
            pass.product().value(),
            pass.session().value(),
            pass.deviceHash(),
            pass.nonce(),
            Long.toString(pass.expiresAt()),
            Long.toString(pass.epoch()));
    return token(payload, keys.sign(keyId, PURPOSE, payload));
  }

  /// The pass of a token; empty when the token was not issued by this server or was modified. Does
  /// not check expiry or use: the purchase script does so with its own clock.
  public Optional<Pass> decode(String token) {
    int dot = token.indexOf('.');
    if (dot < 1 || token.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      String payload = new String(DECODER.decode(token.substring(0, dot)), StandardCharsets.UTF_8);
      byte[] signature = DECODER.decode(token.substring(dot + 1));
      String[] parts = payload.split("\\|", -1);
      // Base64 has unused bits at the end; only the canonical encoding is accepted.
      if (parts.length != 8
          || !token.equals(token(payload, signature))
          || !keys.verify(parts[1], PURPOSE, payload, signature)) {
        return Optional.empty();
      }
      return Optional.of(
          new Pass(
              new SessionId(parts[3]),
              parts[4],
              new ProductId(parts[2]),
              parts[5],
              Long.parseLong(parts[6]),
              Long.parseLong(parts[7])));
    } catch (IllegalArgumentException notOurs) {
      return Optional.empty();
    }
  }

  private static String token(String payload, byte[] signature) {
    return ENCODER.encodeToString(payload.getBytes(StandardCharsets.UTF_8))
        + "."
        + ENCODER.encodeToString(signature);
  }
}
