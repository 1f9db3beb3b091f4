package fairgate.room;

import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.Arrays;

/// The gone tickets of one block as a bitmap: ticket `i` of the block is bit `i % 8` of byte `i /
/// 8`, counted from the lowest bit. Bits are set and never cleared.
final class GoneTickets {
  /// The number of tickets of a block.
  static final int BLOCK = 1 << RoomNode.BLOCK_BITS;

  /// The length of a block's bitmap.
  static final int BYTES = BLOCK / 8;

  private final byte[] bits;

  GoneTickets(byte[] bits) {
    this.bits = Arrays.copyOf(bits, BYTES);
  }

  /// All tickets of a block.
  static GoneTickets all() {
    byte[] bits = new byte[BYTES];
    Arrays.fill(bits, (byte) 0xff);
    return new GoneTickets(bits);
  }

  /// Reads a block that has tickets from the oldest one on.
  static Future<GoneTickets> read(RedisClient redis, RoomStateKeys keys, long block) {
    return redis.send("GET", keys.gone(block)).map(reply -> new GoneTickets(reply.bytes()));
  }

  /// Whether ticket number `ticket` of the block is gone.
  boolean isGone(int ticket) {
    return (bits[ticket / 8] >> ticket % 8 & 1) == 1;
  }

  /// The bitmap, 2 KiB.
  byte[] bytes() {
    return bits.clone();
  }
}
