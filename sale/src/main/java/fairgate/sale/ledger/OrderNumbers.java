package fairgate.sale.ledger;

import fairgate.kernel.Hashes;
import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives new order ids their numbers: unique on all nodes, and without a visible sequence.
///
/// Each node takes blocks of 2^20 values from a sequence in PostgreSQL, the next one when half of
/// the present one is used. A Feistel network with the database's secret permutes the values, so
/// neighbours have unrelated numbers. It hides the count of orders and is no protection of an
/// order.
///
/// Never blocks and never fails. When PostgreSQL was away for longer than a block lasts, the id
/// keeps its random end, which is unique with high probability only.
public final class OrderNumbers {
  static final int BLOCK_BITS = 20;
  static final int BLOCK = 1 << BLOCK_BITS;

  private static final Logger LOG = LoggerFactory.getLogger(OrderNumbers.class);
  private static final Duration RETRY = Duration.ofMinutes(1);
  private static final int HALF_BITS = 20;
  private static final int HALF = (1 << HALF_BITS) - 1;
  private static final int ROUNDS = 8;

  private final Supplier<Future<Draw>> source;
  private final AtomicBoolean drawing = new AtomicBoolean();
  private volatile @Nullable Block current;
  private volatile @Nullable Block next;

  /// By `System.nanoTime`; 0 = never.
  private volatile long failedAt;

  /// Values that this node may use.
  private static final class Block {
    final long first;
    final long[] keys;
    final AtomicInteger used = new AtomicInteger();

    Block(long first, long[] keys) {
      this.first = first;
      this.keys = keys;
    }
  }

  /// A block of values, as drawn from PostgreSQL.
  ///
  /// @param secret the key of the permutation
  record Draw(long block, String secret) {}

  /// @param source draws a block
  OrderNumbers(Supplier<Future<Draw>> source) {
    this.source = source;
    draw();
  }

  public OrderId numbered(OrderId id) {
    Block block = current;
    if (block == null) {
      return swap(null) ? numbered(id) : id;
    }
    int at = block.used.getAndIncrement();
    if (at >= BLOCK) {
      block.used.decrementAndGet();
      return swap(block) ? numbered(id) : id;
    }
    if (at >= BLOCK / 2 && next == null) {
      draw();
    }
    return id.with(OrderNumber.of(permute(block.first + at, block.keys)));
  }

  /// Replaces a used block; false when there is no other one yet.
  private synchronized boolean swap(@Nullable Block used) {
    if (current != used) {
      return true;
    }
    Block fresh = next;
    next = null;
    if (fresh == null) {
      draw();
      return false;
    }
    current = fresh;
    return true;
  }

  private void draw() {
    boolean early = failedAt != 0 && System.nanoTime() - failedAt < RETRY.toNanos();
    if (!early && drawing.compareAndSet(false, true)) {
      Future<Void> _ =
          source
              .get()
              .map(OrderNumbers::block)
              .onSuccess(block -> next = block)
              .onFailure(this::failed)
              .onComplete(_ -> drawing.set(false))
              .mapEmpty();
    }
  }

  private void failed(Throwable cause) {
    failedAt = System.nanoTime() | 1;
    LOG.warn("Could not draw a block of order numbers; retrying in {}", RETRY, cause);
  }

  private static Block block(Draw draw) {
    return new Block(draw.block() << BLOCK_BITS, keys(draw.secret()));
  }

  /// The round keys: SHA-256 of the secret with a counter.
  static long[] keys(String secret) {
    ByteBuffer bytes = ByteBuffer.allocate(ROUNDS * Long.BYTES);
    for (int i = 0; bytes.hasRemaining(); i++) {
      bytes.put(Hashes.sha256(i + secret));
    }
    long[] keys = new long[ROUNDS];
    bytes.flip().asLongBuffer().get(keys);
    return keys;
  }

  /// A permutation of the values of 40 bits.
  static long permute(long value, long[] keys) {
    int left = (int) (value >>> HALF_BITS) & HALF;
    int right = (int) value & HALF;
    for (long key : keys) {
      int mixed = left ^ (int) (mix(key + right) >>> (Long.SIZE - HALF_BITS));
      left = right;
      right = mixed;
    }
    return (long) left << HALF_BITS | right;
  }

  /// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
  /// Generators, 2014).
  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
