package fairgate.draw.beacon;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import org.apache.milagro.amcl.BLS381.BIG;
import org.apache.milagro.amcl.BLS381.ECP;
import org.apache.milagro.amcl.BLS381.ECP2;
import org.apache.milagro.amcl.BLS381.FP12;
import org.apache.milagro.amcl.BLS381.FP2;
import org.apache.milagro.amcl.BLS381.PAIR;

/// A BLS public key in G2, which verifies signatures in G1. The pairing is Milagro's; see ADR 0045.
final class BlsKey {
  /// Length of a compressed key in bytes.
  static final int LENGTH = 2 * G1Point.LENGTH;

  private static final HashToG1 MESSAGES =
      new HashToG1("BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_");

  private final ECP2 point;

  private BlsKey(ECP2 point) {
    this.point = point;
  }

  /// Parses a compressed point of G2, other than infinity.
  static Optional<BlsKey> parse(byte[] compressed) {
    if (compressed.length != LENGTH || (compressed[0] & 0xc0) != 0x80) {
      return Optional.empty();
    }
    byte[] bytes = compressed.clone();
    bytes[0] &= 0x1f;
    BigInteger imaginary = new BigInteger(1, Arrays.copyOf(bytes, G1Point.LENGTH));
    BigInteger real = new BigInteger(1, Arrays.copyOfRange(bytes, G1Point.LENGTH, LENGTH));
    if (imaginary.compareTo(G1Point.P) >= 0 || real.compareTo(G1Point.P) >= 0) {
      return Optional.empty();
    }
    ECP2 point = new ECP2(new FP2(big(real), big(imaginary)));
    if (point.is_infinity()) {
      return Optional.empty();
    }
    if (isLarger(point.getY()) != ((compressed[0] & 0x20) != 0)) {
      point.neg();
      point.affine();
    }
    return point.mul(big(G1Point.ORDER)).is_infinity()
        ? Optional.of(new BlsKey(point))
        : Optional.empty();
  }

  /// Whether `y` is larger than its negative; the imaginary part decides first.
  private static boolean isLarger(FP2 y) {
    BigInteger imaginary = number(y.getB());
    return G1Point.isLarger(imaginary.signum() == 0 ? number(y.getA()) : imaginary);
  }

  /// Whether this is the signature of the message.
  ///
  /// @param signature a compressed point
  boolean verifies(byte[] message, byte[] signature) {
    Optional<G1Point> signed = G1Point.parse(signature);
    if (signed.isEmpty()) {
      return false;
    }
    ECP hashed = point(MESSAGES.hash(message));
    // e(-signature, generator) * e(hash, key) is one only if both pairings are equal.
    FP12 product = PAIR.ate2(ECP2.generator(), point(signed.get().negate()), point, hashed);
    return PAIR.fexp(product).isunity();
  }

  private static ECP point(G1Point point) {
    return new ECP(big(point.x()), big(point.y()));
  }

  private static BIG big(BigInteger number) {
    return BIG.fromBytes(G1Point.bytes(number));
  }

  private static BigInteger number(BIG big) {
    byte[] bytes = new byte[G1Point.LENGTH];
    big.toBytes(bytes);
    return new BigInteger(1, bytes);
  }
}
