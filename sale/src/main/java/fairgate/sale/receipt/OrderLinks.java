package fairgate.sale.receipt;

import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/// The links in messages to buyers, `/r/{link}`: whoever has one sees the order and its tickets,
/// and can do nothing else. A link is the order's id, how often the order's links were ended
/// before, the day on which it ends, the id of a master key, and an HMAC-SHA256, separated by dots.
/// Blocks: for virtual threads.
public final class OrderLinks {
  /// Tickets are often bought a year ahead.
  static final Duration LIFE = Duration.ofDays(400);

  private static final String PURPOSE = "fairgate/order-link";
  private static final int MAX_LENGTH = 300;
  private static final int PARTS = 5;
  private static final String NUMBER = "0|[1-9][0-9]{0,8}";

  private final PostgresReceipts receipts;
  private final KeyRing keys;
  private final Clock clock;

  OrderLinks(PostgresReceipts receipts, KeyRing keys, Clock clock) {
    this.receipts = receipts;
    this.keys = keys;
    this.clock = clock;
  }

  public String make(OrderId order) {
    String keyId = keys.current();
    long ends = today() + LIFE.toDays();
    String facts = order.value() + '.' + receipts.endedLinks(order) + '.' + ends;
    return facts + '.' + keyId + '.' + mac(keyId, facts);
  }

  /// The order of a link that this server made; empty when it has ended.
  public Optional<OrderId> open(String link) {
    String[] parts = link.length() > MAX_LENGTH ? new String[0] : link.split("\\.", -1);
    if (parts.length != PARTS
        || !OrderId.isValid(parts[0])
        || !parts[1].matches(NUMBER)
        || !parts[2].matches(NUMBER)) {
      return Optional.empty();
    }
    String facts = parts[0] + '.' + parts[1] + '.' + parts[2];
    OrderId order = new OrderId(parts[0]);
    boolean isOpen =
        keys.verify(parts[3], PURPOSE, facts, bytes(parts[4]))
            && today() < Long.parseLong(parts[2])
            && receipts.endedLinks(order) == Integer.parseInt(parts[1]);
    return isOpen ? Optional.of(order) : Optional.empty();
  }

  /// The order that a link names, whoever made it and whether or not it has ended.
  public static Optional<OrderId> named(String link) {
    return Optional.of(link.split("\\.", 2)[0]).filter(OrderId::isValid).map(OrderId::new);
  }

  public void end(OrderId order) {
    receipts.endLinks(order);
  }

  private long today() {
    return clock.instant().getEpochSecond() / Duration.ofDays(1).toSeconds();
  }

  private String mac(String keyId, String facts) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(keys.sign(keyId, PURPOSE, facts));
  }

  private static byte[] bytes(String text) {
    try {
      return Base64.getUrlDecoder().decode(text.getBytes(StandardCharsets.US_ASCII));
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }
}
