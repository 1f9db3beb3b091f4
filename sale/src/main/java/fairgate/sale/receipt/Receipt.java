package fairgate.sale.receipt;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.events.OutboxEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// A message about an order: it was paid, money of it went back, or units of a waiting list are
/// reserved.
///
/// @param id one per event of the order
/// @param session the session that bought
/// @param user the account, or another reference under which the sale counts the buyer
/// @param amount what was paid, what went back, or what is to be paid
/// @param deposit what was taken off the price, or went back with it, in minor units; 0 for nothing
/// @param round 1 for the first message, one more each time it is sent again
public record Receipt(
    String id,
    OrderId order,
    Event event,
    String session,
    String user,
    int quantity,
    Money amount,
    long deposit,
    int round) {
  /// An older event was told before, or nobody waits for it any more: the outbox may be replayed
  /// after a database was restored.
  private static final Duration MAX_AGE = Duration.ofDays(7);

  public enum Event {
    PAID,
    REFUNDED,
    /// Units of a waiting list are reserved for the buyer, who has to pay for them.
    OFFERED;

    /// The name in the table and in the admin API.
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The id of this message: another one each time the receipt is sent again.
  public String messageId() {
    return "rcp_" + id + '_' + round;
  }

  /// The receipt for an outbox entry; empty if the entry is too old or asks for none. The entry of
  /// an order that needs no payment is `reserved` with the status `paid`.
  static Optional<Receipt> of(OutboxEntry entry, Instant now) {
    Map<String, String> fields = entry.fields();
    String kind = fields.getOrDefault("kind", "");
    boolean paid =
        kind.equals("confirmed")
            || (kind.equals("reserved") && fields.getOrDefault("status", "").equals("paid"));
    if (!paid && !kind.equals("refunded")) {
      return Optional.empty();
    }
    if (Instant.ofEpochMilli(number(fields, "at")).isBefore(now.minus(MAX_AGE))) {
      return Optional.empty();
    }
    return Optional.of(paid ? paid(fields) : refunded(fields));
  }

  private static Receipt paid(Map<String, String> fields) {
    Money amount = new Money(number(fields, "amount"), text(fields, "currency"));
    return receipt(text(fields, "order") + ":paid", Event.PAID, amount, fields);
  }

  private static Receipt refunded(Map<String, String> fields) {
    Money amount = new Money(number(fields, "refund_amount"), text(fields, "refund_currency"));
    String id =
        text(fields, "order")
            + ":refunded:"
            + fields.getOrDefault("payment", "")
            + ':'
            + fields.getOrDefault("refund_part", "");
    return receipt(id, Event.REFUNDED, amount, fields);
  }

  private static Receipt receipt(String id, Event event, Money amount, Map<String, String> fields) {
    return new Receipt(
        id,
        new OrderId(text(fields, "order")),
        event,
        text(fields, "session"),
        text(fields, "user"),
        (int) number(fields, "quantity"),
        amount,
        0,
        1);
  }

  private static String text(Map<String, String> fields, String name) {
    String text = fields.get(name);
    if (text == null) {
      throw new IllegalArgumentException("the entry has no " + name);
    }
    return text;
  }

  private static long number(Map<String, String> fields, String name) {
    return Long.parseLong(text(fields, name));
  }
}
