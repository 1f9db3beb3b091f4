package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;

/// The device key of a simulated browser: signs joins and purchases as the page of a sale does (RFC
/// 9449).
final class DeviceKey {
  private static final int COORDINATE_BYTES = 32;
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private final KeyPair pair;
  private final String header;

  DeviceKey() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      pair = generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has P-256", e);
    }
    ECPublicKey key = (ECPublicKey) pair.getPublic();
    ObjectNode jwk =
        JsonNodeFactory.instance
            .objectNode()
            .put("kty", "EC")
            .put("crv", "P-256")
            .put("x", coordinate(key.getW().getAffineX()))
            .put("y", coordinate(key.getW().getAffineY()));
    ObjectNode head =
        JsonNodeFactory.instance.objectNode().put("typ", "dpop+jwt").put("alg", "ES256");
    head.set("jwk", jwk);
    header = encoded(head.toString());
  }

  private static String coordinate(BigInteger number) {
    byte[] bytes = number.toByteArray();
    byte[] fixed = new byte[COORDINATE_BYTES];
    int length = Math.min(COORDINATE_BYTES, bytes.length);
    System.arraycopy(bytes, bytes.length - length, fixed, COORDINATE_BYTES - length, length);
    return BASE64.encodeToString(fixed);
  }

  private static String encoded(String text) {
    return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /// SHA-256 of a text, as a claim has it.
  static String digest(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return BASE64.encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// The proof for one POST.
  ///
  /// @param claims that bind it to this request
  String proof(String path, Map<String, String> claims) {
    ObjectNode about =
        JsonNodeFactory.instance
            .objectNode()
            .put("htm", "POST")
            .put("htu", "https://sale.example" + path)
            .put("iat", System.currentTimeMillis() / 1_000)
            .put("jti", UUID.randomUUID().toString());
    claims.forEach(about::put);
    String signed = header + '.' + encoded(about.toString());
    try {
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initSign(pair.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + '.' + BASE64.encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key of this machine signs", e);
    }
  }
}
