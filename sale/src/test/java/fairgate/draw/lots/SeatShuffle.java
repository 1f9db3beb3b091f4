package fairgate.draw.lots;

import fairgate.draw.tlog.Hash;
import java.nio.ByteBuffer;

/// A Fisher-Yates shuffle of seats among winners, with numbers from the seed that are uniform
/// without rounding: numbers above the largest multiple of the bound are skipped.
final class SeatShuffle {
  private final Lots lots;
  private final byte[] label;
  private long counter;
  private ByteBuffer block = ByteBuffer.allocate(0);

  private SeatShuffle(Hash seed, byte[] label) {
    this.lots = new Lots(seed);
    this.label = label.clone();
  }

  /// The places 0 to n - 1 in random order.
  ///
  /// @param label separates several shuffles under one seed, such as the rows of a hall
  static int[] of(Hash seed, byte[] label, int n) {
    SeatShuffle numbers = new SeatShuffle(seed, label);
    int[] places = new int[n];
    for (int i = 0; i < n; i++) {
      places[i] = i;
    }
    for (int i = n - 1; i > 0; i--) {
      int j = (int) numbers.below(i + 1L);
      int place = places[i];
      places[i] = places[j];
      places[j] = place;
    }
    return places;
  }

  private long below(long bound) {
    long excess = Long.remainderUnsigned(-bound, bound);
    long number = next();
    while (isInExcess(number, excess)) {
      number = next();
    }
    return Long.remainderUnsigned(number, bound);
  }

  /// Whether the number is one of the last ones of 64 bits, which would favour small results.
  ///
  /// @param excess 2^64 modulo the bound
  static boolean isInExcess(long number, long excess) {
    return excess != 0 && Long.compareUnsigned(number, -excess) >= 0;
  }

  private long next() {
    if (!block.hasRemaining()) {
      byte[] message =
          ByteBuffer.allocate(label.length + Long.BYTES).put(label).putLong(counter).array();
      counter++;
      block = ByteBuffer.wrap(lots.block(message).bytes());
    }
    return block.getLong();
  }
}
