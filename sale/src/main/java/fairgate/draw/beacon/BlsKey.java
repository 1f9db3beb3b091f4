package fairgate.draw.beacon;

import static fairgate.draw.beacon.G1Point.big;
import static fairgate.draw.beacon.G1Point.number;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;
import org.apache.milagro.amcl.BLS381.ECP2;
import org.apache.milagro.amcl.BLS381.FP12;
import org.apache.milagro.amcl.BLS381.FP2;
import org.apache.milagro.amcl.BLS381.PAIR;

/// A BLS public key in G2, which verifies signatures in G1. The pairing is Milagro's; see ADR 0045.
final class BlsKey {
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
    return G1Point.parse(signature).filter(signed -> verifies(hash(message), signed)).isPresent();
  }

  static G1Point hash(byte[] message) {
    return MESSAGES.hash(message);
  }

  /// Whether the signature is that of the point. Also holds for sums of points and the sums of
  /// their signatures.
  boolean verifies(G1Point hashed, G1Point signed) {
    // e(-signature, generator) * e(hash, key) is one only if both pairings are equal.
    FP12 product =
        PAIR.ate2(ECP2.generator(), signed.negate().projective(), point, hashed.projective());
    return PAIR.fexp(product).isunity();
  }
}
