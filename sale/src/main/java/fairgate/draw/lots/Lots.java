package fairgate.draw.lots;

import fairgate.draw.tlog.Hash;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The lots of a draw: a keyed hash of every entry under the seed. Not thread-safe.
public final class Lots {
  private static final byte[] SEED = "fairgate-seed/1\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte LOT = 1;
  private static final byte AUDIT = 2;
  private static final byte UNIFORM = 3;

  private final Mac mac;

  public Lots(Hash seed) {
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(seed.bytes(), "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HmacSHA256 is missing from this Java", e);
    }
  }

  /// The seed of a draw.
  ///
  /// @param seal leaf hash of the seal
  /// @param randomness hash of the beacon's signature
  public static Hash seed(Hash seal, Hash randomness) {
    return Hash.ofParts(SEED, seal.bytes(), randomness.bytes());
  }

  public Hash lot(Hash leaf) {
    return keyed(LOT, leaf.bytes());
  }

  /// The number that decides whether an entry is in the audit sample.
  public Hash audit(Hash leaf) {
    return keyed(AUDIT, leaf.bytes());
  }

  /// A block of random numbers for seats.
  Hash block(byte[] labelAndCounter) {
    return keyed(UNIFORM, labelAndCounter);
  }

  private Hash keyed(byte purpose, byte[] message) {
    mac.update(purpose);
    return Hash.of(mac.doFinal(message));
  }
}
