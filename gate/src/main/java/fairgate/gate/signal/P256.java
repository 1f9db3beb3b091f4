package fairgate.gate.signal;

import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import org.jspecify.annotations.Nullable;

/// Reads public keys of the curve P-256.
final class P256 {
  private static final int COORDINATE_BYTES = 32;
  private static final ECParameterSpec CURVE = curve();
  private static final BigInteger PRIME = ((ECFieldFp) CURVE.getCurve().getField()).getP();

  private P256() {}

  /// The key at a point; null when the coordinates do not have 32 bytes or the point is not on the
  /// curve.
  static @Nullable PublicKey publicKey(byte[] x, byte[] y) {
    if (x.length != COORDINATE_BYTES || y.length != COORDINATE_BYTES) {
      return null;
    }
    BigInteger pointX = new BigInteger(1, x);
    BigInteger pointY = new BigInteger(1, y);
    if (!isOnCurve(pointX, pointY)) {
      return null;
    }
    try {
      return KeyFactory.getInstance("EC")
          .generatePublic(new ECPublicKeySpec(new ECPoint(pointX, pointY), CURVE));
    } catch (GeneralSecurityException e) {
      return null;
    }
  }

  /// Whether y^2 = x^3 + ax + b (mod p), with both coordinates below p.
  private static boolean isOnCurve(BigInteger x, BigInteger y) {
    if (x.compareTo(PRIME) >= 0 || y.compareTo(PRIME) >= 0) {
      return false;
    }
    BigInteger right =
        x.multiply(x)
            .add(CURVE.getCurve().getA())
            .multiply(x)
            .add(CURVE.getCurve().getB())
            .mod(PRIME);
    return y.multiply(y).mod(PRIME).equals(right);
  }

  private static ECParameterSpec curve() {
    try {
      AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
      parameters.init(new ECGenParameterSpec("secp256r1"));
      return parameters.getParameterSpec(ECParameterSpec.class);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is missing from this Java", e);
    }
  }
}
