package fairgate.draw.beacon;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.milagro.amcl.BLS381.BIG;
import org.apache.milagro.amcl.BLS381.ECP;

/// A point of the BLS12-381 curve `y^2 = x^3 + 4` over the base field, not necessarily in the
/// subgroup G1. The arithmetic is affine and not constant-time: it handles public values only.
///
/// @param x coordinate; the point at infinity is [#INFINITY]
record G1Point(BigInteger x, BigInteger y) {
  /// The modulus of the base field.
  static final BigInteger P =
      new BigInteger(
          "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
          16);

  static final BigInteger ORDER =
      new BigInteger("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001", 16);

  static final G1Point INFINITY = new G1Point(BigInteger.ZERO, BigInteger.ZERO);

  static final int LENGTH = 48;

  private static final BigInteger FOUR = BigInteger.valueOf(4);
  private static final BigInteger ROOT_EXPONENT = P.add(BigInteger.ONE).shiftRight(2);
  private static final BigInteger HALF = P.shiftRight(1);
  private static final int COMPRESSED = 0x80;
  private static final int AT_INFINITY = 0x40;
  private static final int LARGER_Y = 0x20;

  static Optional<BigInteger> squareRoot(BigInteger value) {
    BigInteger root = value.modPow(ROOT_EXPONENT, P);
    return root.multiply(root).mod(P).equals(value.mod(P)) ? Optional.of(root) : Optional.empty();
  }

  /// Parses a compressed point of the subgroup G1, other than infinity.
  static Optional<G1Point> parse(byte[] compressed) {
    if (compressed.length != LENGTH) {
      return Optional.empty();
    }
    int flags = compressed[0] & 0xe0;
    if ((flags & COMPRESSED) == 0 || (flags & AT_INFINITY) != 0) {
      return Optional.empty();
    }
    byte[] bytes = compressed.clone();
    bytes[0] &= 0x1f;
    BigInteger x = new BigInteger(1, bytes);
    if (x.compareTo(P) >= 0) {
      return Optional.empty();
    }
    boolean isLarger = (flags & LARGER_Y) != 0;
    return squareRoot(x.pow(3).add(FOUR).mod(P))
        .map(y -> new G1Point(x, isLarger(y) == isLarger ? y : P.subtract(y)))
        .filter(G1Point::isInSubgroup);
  }

  /// Whether the coordinate is larger than its negative.
  static boolean isLarger(BigInteger y) {
    return y.compareTo(HALF) > 0;
  }

  boolean isOnCurve() {
    return y.multiply(y).subtract(x.pow(3)).subtract(FOUR).mod(P).signum() == 0;
  }

  private boolean isInSubgroup() {
    return multiply(ORDER).equals(INFINITY);
  }

  ECP projective() {
    return new ECP(big(x), big(y));
  }

  static BIG big(BigInteger number) {
    return BIG.fromBytes(bytes(number));
  }

  static BigInteger number(BIG big) {
    byte[] bytes = new byte[LENGTH];
    big.toBytes(bytes);
    return new BigInteger(1, bytes);
  }

  G1Point negate() {
    return equals(INFINITY) ? this : new G1Point(x, P.subtract(y).mod(P));
  }

  G1Point add(G1Point other) {
    if (equals(INFINITY)) {
      return other;
    }
    if (other.equals(INFINITY)) {
      return this;
    }
    if (!x.equals(other.x)) {
      return chord(other, other.y.subtract(y), other.x.subtract(x));
    }
    boolean isDouble = y.equals(other.y) && y.signum() != 0;
    return isDouble
        ? chord(other, BigInteger.valueOf(3).multiply(x).multiply(x), y.shiftLeft(1))
        : INFINITY;
  }

  /// The third point on the line of this slope, reflected.
  private G1Point chord(G1Point other, BigInteger rise, BigInteger run) {
    BigInteger slope = rise.multiply(run.modInverse(P)).mod(P);
    BigInteger sumX = slope.multiply(slope).subtract(x).subtract(other.x).mod(P);
    return new G1Point(sumX, slope.multiply(x.subtract(sumX)).subtract(y).mod(P));
  }

  /// The product with a scalar. Milagro computes it, without an inversion for each step.
  G1Point multiply(BigInteger scalar) {
    ECP product = projective().mul(big(scalar));
    return product.is_infinity()
        ? INFINITY
        : new G1Point(number(product.getX()), number(product.getY()));
  }

  /// A coordinate as 48 bytes, big-endian.
  static byte[] bytes(BigInteger coordinate) {
    byte[] minimal = coordinate.toByteArray();
    byte[] fixed = new byte[LENGTH];
    int length = Math.min(LENGTH, minimal.length);
    System.arraycopy(minimal, minimal.length - length, fixed, LENGTH - length, length);
    return fixed;
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(Arrays.copyOf(bytes(x), LENGTH));
  }
}
