package fairgate.app;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/// Unguessable ids from the system's random source.
final class RandomIds implements Ids {
  /// Crockford's base 32 in lower case: without i, l, o and u.
  private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

  /// Base64url.
  private static final byte[] WEB =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
          .getBytes(StandardCharsets.US_ASCII);

  private static final int TRACE = 16;
  private static final int TIME = 10;

  /// Random bytes, and the characters of five bits each that they become.
  private static final int CHANCE = 10;

  private static final int CHANCE_TEXT = 16;
  private static final int BLOCK = 4_096;

  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final ThreadLocal<Block> blocks = ThreadLocal.withInitial(Block::new);

  /// A buffer of random bytes for one thread: a draw costs as much as a small request, and threads
  /// wait for each other during a draw. Each byte is used once and then wiped.
  private final class Block {
    private final byte[] bytes = new byte[BLOCK];
    private int at = BLOCK;

    byte[] take(int count) {
      if (at + count > BLOCK) {
        random.nextBytes(bytes);
        at = 0;
      }
      byte[] some = Arrays.copyOfRange(bytes, at, at + count);
      Arrays.fill(bytes, at, at + count, (byte) 0);
      at += count;
      return some;
    }
  }

  RandomIds(Clock clock) {
    this.clock = clock;
  }

  @Override
  public SessionId session() {
    ByteBuffer chance = ByteBuffer.wrap(bytes(16));
    // Version 4, variant 2: RFC 9562.
    long high = (chance.getLong() & 0xffffffffffff0fffL) | 0x4000L;
    long low = (chance.getLong() & 0x3fffffffffffffffL) | Long.MIN_VALUE;
    return new SessionId(new UUID(high, low).toString());
  }

  /// The tail is a ULID: 50 bits of milliseconds, 80 random bits.
  @Override
  public OrderId order(ProductId product) {
    char[] tail = new char[TIME + CHANCE_TEXT];
    long time = clock.millis();
    for (int i = TIME - 1; i >= 0; i--) {
      tail[i] = ALPHABET[(int) (time & 31)];
      time >>>= 5;
    }
    int bits = 0;
    int held = 0;
    int at = TIME;
    for (byte more : bytes(CHANCE)) {
      bits = bits << 8 | (more & 0xff);
      for (held += 8; held >= 5; held -= 5) {
        tail[at++] = ALPHABET[bits >>> (held - 5) & 31];
      }
    }
    return OrderId.of(product, new String(tail));
  }

  @Override
  public DeviceId device() {
    return new DeviceId(nonce());
  }

  @Override
  public String nonce() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(16));
  }

  /// 96 bits from a non-secret source: hundreds of thousands are needed per second.
  @Override
  public String trace() {
    ThreadLocalRandom chance = ThreadLocalRandom.current();
    byte[] text = new byte[TRACE];
    for (int i = 0; i < TRACE; i += 8) {
      long bits = chance.nextLong();
      for (int k = 0; k < 8; k++) {
        text[i + k] = WEB[(int) (bits & 63)];
        bits >>>= 6;
      }
    }
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private byte[] bytes(int count) {
    if (!Thread.currentThread().isVirtual()) {
      return blocks.get().take(count);
    }
    // Virtual threads are many and short-lived, so they get no buffer.
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
