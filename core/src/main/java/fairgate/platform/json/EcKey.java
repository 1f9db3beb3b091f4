package fairgate.platform.json;

import fairgate.kernel.KeyRing;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import org.bouncycastle.jce.ECNamedCurveTable;
import org.bouncycastle.jce.spec.ECNamedCurveParameterSpec;

/// A P-256 key pair that is derived from a master key: nothing is stored, and all nodes have the
/// same.
///
/// @param x coordinate of the public point, base64url
/// @param y likewise
public record EcKey(String id, PrivateKey secret, PublicKey open, String x, String y) {
  private static final ECNamedCurveParameterSpec CURVE =
      ECNamedCurveTable.getParameterSpec("secp256r1");
  private static final ECParameterSpec P256 = p256();
  private static final int COORDINATE = 32;

  /// The key of a purpose.
  ///
  /// @param masterId of a key in `master`
  /// @param id the `kid` of the key
  public static EcKey derived(KeyRing master, String masterId, String purpose, String id) {
    // 64 bits more than the order of the curve: FIPS 186-5, A.2.1.
    byte[] wide = new byte[40];
    System.arraycopy(master.sign(masterId, purpose, "1"), 0, wide, 0, COORDINATE);
    System.arraycopy(master.sign(masterId, purpose, "2"), 0, wide, COORDINATE, 8);
    BigInteger limit = CURVE.getN().subtract(BigInteger.ONE);
    BigInteger scalar = new BigInteger(1, wide).mod(limit).add(BigInteger.ONE);
    var point = CURVE.getG().multiply(scalar).normalize();
    BigInteger x = point.getAffineXCoord().toBigInteger();
    BigInteger y = point.getAffineYCoord().toBigInteger();
    try {
      KeyFactory factory = KeyFactory.getInstance("EC");
      return new EcKey(
          id,
          factory.generatePrivate(new ECPrivateKeySpec(scalar, P256)),
          factory.generatePublic(new ECPublicKeySpec(new ECPoint(x, y), P256)),
          coordinate(x),
          coordinate(y));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is missing from this Java", e);
    }
  }

  /// The public key as a JWK (RFC 7517).
  ///
  /// @param type the `typ` of what it signs
  public JsonText jwk(String type) {
    return JsonText.object()
        .put("kty", "EC")
        .put("crv", "P-256")
        .put("x", x)
        .put("y", y)
        .put("kid", id)
        .put("use", "sig")
        .put("alg", "ES256")
        .put("typ", type);
  }

  /// The curve in the form of the JDK.
  public static ECParameterSpec p256() {
    try {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
      parameters.init(new ECGenParameterSpec("secp256r1"));
      return parameters.getParameterSpec(ECParameterSpec.class);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is missing from this Java", e);
    }
  }

  private static String coordinate(BigInteger value) {
    byte[] bytes = value.toByteArray();
    byte[] fixed = new byte[COORDINATE];
    int skip = Math.max(0, bytes.length - COORDINATE);
    int length = bytes.length - skip;
    System.arraycopy(bytes, skip, fixed, COORDINATE - length, length);
    return Jws.encoded(fixed);
  }
}
