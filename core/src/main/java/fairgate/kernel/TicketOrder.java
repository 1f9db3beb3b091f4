package fairgate.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// The drawn order of the tickets from before an opening: a permutation that everybody computes for
/// one ticket from the seed alone. It is the swap-or-not shuffle (Hoang, Morris, Rogaway 2012) with
/// SHA-256 and 90 rounds. Immutable.
///
/// In round `r`, ticket `i` of `n` meets `j = (pivot(r) - i) mod n`, where `pivot` is the first 8
/// bytes of SHA-256(seed, r), big-endian, modulo `n`. They change places when bit `max(i, j) % 256`
/// of SHA-256(seed, r, max(i, j) / 256) is set; the round is one byte, the number four, big-endian;
/// bits are counted from the lowest of the first byte.
public final class TicketOrder {
  private static final int ROUNDS = 90;
  private static final int BITS = 256;

  private final byte[] seed;
  private final int count;

  /// @param seed hex
  /// @param count the number of tickets; others keep their numbers
  public TicketOrder(String seed, int count) {
    this.seed = HexFormat.of().parseHex(seed);
    this.count = count;
  }

  public int count() {
    return count;
  }

  public boolean isOf(String otherSeed, long otherCount) {
    return count == otherCount && HexFormat.of().formatHex(seed).equals(otherSeed);
  }

  /// The drawn number of a ticket.
  public long of(long ticket) {
    if (ticket >= count) {
      return ticket;
    }
    MessageDigest sha = sha256();
    int at = (int) ticket;
    for (int round = 0; round < ROUNDS; round++) {
      int other = other(pivot(sha, round), at);
      int high = Math.max(at, other);
      if (isSet(bits(sha, round, high / BITS), high)) {
        at = other;
      }
    }
    return at;
  }

  /// The drawn numbers of all tickets.
  public int[] all() {
    MessageDigest sha = sha256();
    int[] at = new int[count];
    Arrays.setAll(at, i -> i);
    byte[][] bits = new byte[(count + BITS - 1) / BITS][];
    for (int round = 0; round < ROUNDS; round++) {
      int pivot = pivot(sha, round);
      for (int block = 0; block < bits.length; block++) {
        bits[block] = bits(sha, round, block);
      }
      for (int i = 0; i < count; i++) {
        int other = other(pivot, at[i]);
        int high = Math.max(at[i], other);
        at[i] = isSet(bits[high / BITS], high) ? other : at[i];
      }
    }
    return at;
  }

  private int other(int pivot, int at) {
    int other = pivot - at;
    return other < 0 ? other + count : other;
  }

  private static boolean isSet(byte[] bits, int at) {
    return (bits[at % BITS / 8] >> (at % 8) & 1) == 1;
  }

  private int pivot(MessageDigest sha, int round) {
    sha.update(seed);
    sha.update((byte) round);
    long first = ByteBuffer.wrap(sha.digest()).order(ByteOrder.BIG_ENDIAN).getLong();
    return (int) Long.remainderUnsigned(first, count);
  }

  private byte[] bits(MessageDigest sha, int round, int block) {
    sha.update(seed);
    sha.update((byte) round);
    sha.update(ByteBuffer.allocate(4).putInt(block).array());
    return sha.digest();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
