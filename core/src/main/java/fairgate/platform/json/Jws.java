package fairgate.platform.json;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;
import java.util.Optional;

/// The form of a compact JWS, and the signatures of the JDK.
public final class Jws {
  /// ECDSA with the signature as `r || s`, as JWS has it.
  public static final String ES256 = "SHA256withECDSAinP1363Format";

  public static final String ED25519 = "Ed25519";

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  private Jws() {}

  /// The three parts of a compact JWS.
  ///
  /// @param input the signed text
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Parts(byte[] header, byte[] payload, String input, byte[] signature) {}

  /// The parts of a token; empty when it is no compact JWS in canonical base64url.
  public static Optional<Parts> parts(String token) {
    int first = token.indexOf('.');
    int second = token.indexOf('.', first + 1);
    if (first < 1 || second < 0 || token.indexOf('.', second + 1) >= 0) {
      return Optional.empty();
    }
    return decoded(token.substring(0, first))
        .flatMap(
            header ->
                decoded(token.substring(first + 1, second))
                    .flatMap(
                        payload ->
                            decoded(token.substring(second + 1))
                                .map(
                                    signature ->
                                        new Parts(
                                            header,
                                            payload,
                                            token.substring(0, second),
                                            signature))));
  }

  /// Base64url without padding.
  public static String encoded(byte[] bytes) {
    return ENCODER.encodeToString(bytes);
  }

  /// The text as UTF-8 in base64url without padding.
  public static String encoded(String text) {
    return encoded(text.getBytes(StandardCharsets.UTF_8));
  }

  /// The bytes of base64url without padding; empty when the text has another form.
  public static Optional<byte[]> decoded(String text) {
    try {
      byte[] bytes = DECODER.decode(text);
      return encoded(bytes).equals(text) ? Optional.of(bytes) : Optional.empty();
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }

  public static byte[] sign(String algorithm, PrivateKey key, byte[] message) {
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(message);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(algorithm + " does not work in this Java", e);
    }
  }

  public static boolean verify(String algorithm, PublicKey key, byte[] message, byte[] signature) {
    try {
      Signature verifier = Signature.getInstance(algorithm);
      verifier.initVerify(key);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException badSignature) {
      return false;
    }
  }
}
