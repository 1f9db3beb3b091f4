package fairgate.draw.tlog;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/// A SHA-256 hash. Ordered by its bytes, unsigned.
public final class Hash implements Comparable<Hash> {
  public static final int LENGTH = 32;

  private final byte[] bytes;

  private Hash(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Hash of(byte[] bytes) {
    if (bytes.length != LENGTH) {
      throw new IllegalArgumentException("a hash has 32 bytes");
    }
    return new Hash(bytes.clone());
  }

  static Hash at(byte[] array, int offset) {
    return new Hash(Arrays.copyOfRange(array, offset, offset + LENGTH));
  }

  public static Hash ofParts(byte[]... parts) {
    MessageDigest digest = sha256();
    for (byte[] part : parts) {
      digest.update(part);
    }
    return new Hash(digest.digest());
  }

  /// Parses 64 digits.
  public static Hash ofHex(String hex) {
    return of(HexFormat.of().parseHex(hex));
  }

  /// Parses canonical base64; empty if it is anything else.
  public static Optional<Hash> ofBase64(String text) {
    return StrictText.base64(text).filter(bytes -> bytes.length == LENGTH).map(Hash::new);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  /// A copy of the 32 bytes.
  public byte[] bytes() {
    return bytes.clone();
  }

  void copyTo(byte[] target, int offset) {
    System.arraycopy(bytes, 0, target, offset, LENGTH);
  }

  public String hex() {
    return HexFormat.of().formatHex(bytes);
  }

  public String base64() {
    return Base64.getEncoder().encodeToString(bytes);
  }

  @Override
  public int compareTo(Hash other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Hash hash && Arrays.equals(bytes, hash.bytes);
  }

  @Override
  public int hashCode() {
    // The bytes are uniformly distributed.
    return (bytes[0] << 24) | (bytes[1] & 255) << 16 | (bytes[2] & 255) << 8 | (bytes[3] & 255);
  }

  @Override
  public String toString() {
    return hex();
  }
}
