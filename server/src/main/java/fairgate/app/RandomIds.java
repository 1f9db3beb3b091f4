package fairgate.app;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.UUID;

/// Ids nobody can guess, from the system's source of randomness.
final class RandomIds implements Ids {
  /// Crockford's base 32 in lower case: without i, l, o and u.
  private static final char[] ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();

  private static final int TIME = 10;
  private static final int CHANCE = 16;

  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  RandomIds(Clock clock) {
    this.clock = clock;
  }

  @Override
  public SessionId session() {
    return new SessionId(UUID.randomUUID().toString());
  }

  /// The tail is a ULID: 50 bits of milliseconds, 80 bits of chance.
  @Override
  public OrderId order(ProductId product) {
    char[] tail = new char[TIME + CHANCE];
    long time = clock.millis();
    for (int i = TIME - 1; i >= 0; i--) {
      tail[i] = ALPHABET[(int) (time & 31)];
      time >>>= 5;
    }
    byte[] chance = bytes(CHANCE);
    for (int i = 0; i < CHANCE; i++) {
      tail[TIME + i] = ALPHABET[chance[i] & 31];
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

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }
}
