package fairgate.draw.beacon;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Maps messages to points of G1: the suite BLS12381G1_XMD:SHA-256_SSWU_RO_ of RFC 9380.
final class HashToG1 {
  private static final BigInteger P = G1Point.P;

  /// The curve that is isogenous to G1, `y^2 = x^3 + A x + B`, and the constant Z (8.8.1).
  private static final BigInteger A =
      new BigInteger(
          "144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1d",
          16);

  private static final BigInteger B =
      new BigInteger(
          "12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0",
          16);
  private static final BigInteger Z = BigInteger.valueOf(11);
  private static final BigInteger COFACTOR = new BigInteger("d201000000010001", 16);
  private static final int BLOCK = 64;
  private static final int DIGEST = 32;
  private static final int FIELD_BYTES = 64;

  private final byte[] tag;

  /// @param domain the domain separation tag, at most 255 characters
  HashToG1(String domain) {
    byte[] text = domain.getBytes(StandardCharsets.US_ASCII);
    this.tag = Arrays.copyOf(text, text.length + 1);
    tag[text.length] = (byte) text.length;
  }

  G1Point hash(byte[] message) {
    byte[] uniform = expand(message, 2 * FIELD_BYTES);
    G1Point first = map(element(uniform, 0));
    G1Point second = map(element(uniform, FIELD_BYTES));
    return first.add(second).multiply(COFACTOR);
  }

  private static BigInteger element(byte[] uniform, int from) {
    return new BigInteger(1, Arrays.copyOfRange(uniform, from, from + FIELD_BYTES)).mod(P);
  }

  /// expand_message_xmd (5.3.1).
  byte[] expand(byte[] message, int length) {
    byte[] lengthAndZero = {(byte) (length >> 8), (byte) length, 0};
    byte[] start = sha256(new byte[BLOCK], message, lengthAndZero, tag);
    byte[] block = sha256(start, new byte[] {1}, tag);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(block);
    for (int i = 2; out.size() < length; i++) {
      byte[] mixed = new byte[DIGEST];
      for (int j = 0; j < DIGEST; j++) {
        mixed[j] = (byte) (start[j] ^ block[j]);
      }
      block = sha256(mixed, new byte[] {(byte) i}, tag);
      out.writeBytes(block);
    }
    return Arrays.copyOf(out.toByteArray(), length);
  }

  private static byte[] sha256(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  /// The simplified SWU map (6.6.2), then the isogeny.
  private static G1Point map(BigInteger u) {
    BigInteger square = Z.multiply(u).multiply(u).mod(P);
    BigInteger sum = square.multiply(square).add(square).mod(P);
    BigInteger x =
        sum.signum() == 0
            ? B.multiply(Z.multiply(A).modInverse(P)).mod(P)
            : B.negate()
                .multiply(A.modInverse(P))
                .multiply(BigInteger.ONE.add(sum.modInverse(P)))
                .mod(P);
    Optional<BigInteger> root = G1Point.squareRoot(curve(x));
    if (root.isEmpty()) {
      x = square.multiply(x).mod(P);
      root = G1Point.squareRoot(curve(x));
    }
    BigInteger y = root.orElseThrow();
    return isogeny(x, y.testBit(0) == u.testBit(0) ? y : P.subtract(y));
  }

  private static BigInteger curve(BigInteger x) {
    return x.multiply(x).add(A).multiply(x).add(B).mod(P);
  }

  private static G1Point isogeny(BigInteger x, BigInteger y) {
    BigInteger denominatorX = polynomial(G1Isogeny.X_DENOMINATOR, x);
    BigInteger denominatorY = polynomial(G1Isogeny.Y_DENOMINATOR, x);
    if (denominatorX.signum() == 0 || denominatorY.signum() == 0) {
      return G1Point.INFINITY;
    }
    BigInteger mappedX =
        polynomial(G1Isogeny.X_NUMERATOR, x).multiply(denominatorX.modInverse(P)).mod(P);
    BigInteger mappedY =
        y.multiply(polynomial(G1Isogeny.Y_NUMERATOR, x))
            .multiply(denominatorY.modInverse(P))
            .mod(P);
    return new G1Point(mappedX, mappedY);
  }

  private static BigInteger polynomial(List<BigInteger> coefficients, BigInteger x) {
    BigInteger value = BigInteger.ZERO;
    for (BigInteger coefficient : coefficients.reversed()) {
      value = value.multiply(x).add(coefficient).mod(P);
    }
    return value;
  }
}
