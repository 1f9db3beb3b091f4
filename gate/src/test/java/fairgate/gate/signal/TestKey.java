package fairgate.gate.signal;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/// A device key that signs proofs as a browser does.
final class TestKey {
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final AtomicLong PROOFS = new AtomicLong();

  private final KeyPair pair;

  TestKey() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      pair = generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  static String encode(String text) {
    return ENCODER.encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  String jwk() {
    ECPublicKey key = (ECPublicKey) pair.getPublic();
    return "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\""
        + coordinate(key.getW().getAffineX())
        + "\",\"y\":\""
        + coordinate(key.getW().getAffineY())
        + "\"}";
  }

  private static String coordinate(BigInteger number) {
    byte[] bytes = number.toByteArray();
    byte[] fixed = new byte[32];
    int length = Math.min(32, bytes.length);
    System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
    return ENCODER.encodeToString(fixed);
  }

  /// A proof with a usual header.
  String proof(String payload) {
    return sign("{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":" + jwk() + "}", payload);
  }

  /// A signed text.
  String sign(String header, String payload) {
    String signed = encode(header) + '.' + encode(payload);
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(pair.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      byte[] bytes = signature.sign();
      return signed + '.' + ENCODER.encodeToString(bytes);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /// A proof for a request, with an id of its own.
  ///
  /// @param more further members of the payload, each with a comma in front
  String proof(String path, long nowMillis, String more) {
    return proof(
        "{\"htm\":\"POST\",\"htu\":\"https://shop.example"
            + path
            + "\",\"iat\":"
            + nowMillis / 1_000
            + ",\"jti\":\"0123456789abcdef-"
            + PROOFS.incrementAndGet()
            + '"'
            + more
            + "}");
  }

  /// A proof for a join of sale 7 with this challenge token.
  String join(String token, long nowMillis) {
    return proof(
        DeviceKeys.JOIN,
        nowMillis,
        ",\"product_id\":\"7\",\"challenge\":\"" + DeviceProof.digest(token) + "\"");
  }

  /// A proof for a purchase of sale 7.
  String purchase(String session, long nowMillis) {
    return proof(
        DeviceKeys.PURCHASE, nowMillis, ",\"product_id\":\"7\",\"session_id\":\"" + session + "\"");
  }
}
