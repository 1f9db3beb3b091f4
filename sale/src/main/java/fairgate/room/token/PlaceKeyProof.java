package fairgate.room.token;

import fairgate.platform.json.EcKey;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.Jws;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.Optional;

/// The proof that a browser has the key behind its place token, in the form of DPoP (RFC 9449): a
/// JWS with the public key in its header, over the method, the address, the time and the token.
public final class PlaceKeyProof {
  private static final int MAX_LENGTH = 2_048;
  private static final long MAX_AGE = 300;

  private PlaceKeyProof() {}

  /// Whether the proof was made with the key, for this use of this token, in the last five minutes.
  /// The host is not compared: the proof is bound to the token, which has a room.
  ///
  /// @param path of the request, such as `/q/tour/enter`
  /// @param now seconds since 1970
  public static boolean isValid(
      String proof, KeyBinding binding, String path, String placeToken, long now) {
    if (proof.length() > MAX_LENGTH || binding.kind() != KeyBinding.Kind.KEY) {
      return false;
    }
    return Jws.parts(proof)
        .filter(parts -> isSigned(parts, binding) && isFor(parts, path, placeToken, now))
        .isPresent();
  }

  private static boolean isSigned(Jws.Parts parts, KeyBinding binding) {
    try {
      JsonObject header = Json.parseObject(parts.header());
      return "dpop+jwt".equals(header.get("typ"))
          && "ES256".equals(header.get("alg"))
          && header.get("jwk") instanceof JsonObject jwk
          && jwk.get("x") instanceof String x
          && jwk.get("y") instanceof String y
          && KeyBinding.ofKey(x, y).matches(binding.value())
          && key(x, y)
              .filter(key -> Jws.verify(Jws.ES256, key, ascii(parts.input()), parts.signature()))
              .isPresent();
    } catch (JsonSyntaxException notJson) {
      return false;
    }
  }

  private static boolean isFor(Jws.Parts parts, String path, String placeToken, long now) {
    try {
      JsonObject claims = Json.parseObject(parts.payload());
      return "POST".equals(claims.get("htm"))
          && claims.get("htu") instanceof String address
          && address.endsWith(path)
          && claims.get("iat") instanceof Long issuedAt
          && Math.abs(now - issuedAt) <= MAX_AGE
          && claims.get("ath") instanceof String hash
          && MessageDigest.isEqual(ascii(hash), ascii(hashOf(placeToken)));
    } catch (JsonSyntaxException notJson) {
      return false;
    }
  }

  /// The `ath` of a token.
  static String hashOf(String token) {
    try {
      return Jws.encoded(MessageDigest.getInstance("SHA-256").digest(ascii(token)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  private static Optional<PublicKey> key(String x, String y) {
    return Jws.decoded(x)
        .flatMap(
            one ->
                Jws.decoded(y)
                    .flatMap(
                        other -> {
                          try {
                            ECPoint point =
                                new ECPoint(new BigInteger(1, one), new BigInteger(1, other));
                            return Optional.of(
                                KeyFactory.getInstance("EC")
                                    .generatePublic(new ECPublicKeySpec(point, EcKey.p256())));
                          } catch (GeneralSecurityException notOnCurve) {
                            return Optional.empty();
                          }
                        }));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
