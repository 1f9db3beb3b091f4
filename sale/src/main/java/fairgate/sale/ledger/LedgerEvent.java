package fairgate.sale.ledger;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.Word;
import fairgate.platform.events.OutboxEntry;
import fairgate.sale.ledger.LedgerOrder.Buyer;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An outbox entry with typed values.
///
/// @param version the order's version after the edge, or the number of the stock batch
/// @param order null for stock
record LedgerEvent(
    long epoch, long seq, Kind kind, int version, int quantity, Instant at, @Nullable Edge order) {

  /// The order after a transition.
  ///
  /// @param payBy null = no payment is waited for
  /// @param deposit the id of the deposit that it used, in the event that made it; else null
  record Edge(
      String id,
      Buyer buyer,
      long amount,
      String currency,
      OrderStatus status,
      @Nullable Instant payBy,
      @Nullable String deposit,
      Cause why) {}

  /// The cause of the transition; empty texts where the entry has none.
  ///
  /// @param payment the provider's id of the payment that was made or goes back
  /// @param refund how much goes back, where something does; a payment of a wrong amount goes back
  ///   as it came
  /// @param part the part of the payment that goes back; empty = all of it, or the rest
  record Cause(String reason, String payment, @Nullable Money refund, String part) {
    static final Cause NONE = new Cause("", "", null, "");

    @Nullable String reasonOrNull() {
      return reason.isEmpty() ? null : reason;
    }

    @Nullable Long refundOrNull() {
      return refund == null ? null : refund.minorUnits();
    }

    @Nullable String partOrNull() {
      return part.isEmpty() ? null : part;
    }

    @Nullable String paymentOrNull() {
      return payment.isEmpty() ? null : payment;
    }
  }

  /// Parses an entry. Throws IllegalArgumentException with the problem.
  static LedgerEvent of(OutboxEntry entry, ProductId product) {
    Map<String, String> f = entry.fields();
    Kind kind = Kind.of(text(f, "kind"));
    boolean stock = kind == Kind.STOCK;
    LedgerEvent event =
        new LedgerEvent(
            number(f, "epoch"),
            number(f, "seq"),
            kind,
            small(f, stock ? "batch" : "version"),
            small(f, "quantity"),
            Instant.ofEpochMilli(number(f, "at")),
            stock ? null : edge(f, product));
    if (event.quantity() < 1 || event.version() < 1 || event.seq() < 1) {
      throw new IllegalArgumentException("quantity, version and seq start at 1");
    }
    if (kind == Kind.REFUND_DUE
        && (event.order() == null || event.order().why().payment().isEmpty())) {
      throw new IllegalArgumentException("a refund that is due names its payment");
    }
    return event;
  }

  private static Edge edge(Map<String, String> f, ProductId product) {
    OrderId id = new OrderId(text(f, "order"));
    if (!id.product().equals(product)) {
      throw new IllegalArgumentException("the order is of another sale");
    }
    long payBy = number(f, "pay_by");
    return new Edge(
        id.value(),
        new Buyer(text(f, "session"), text(f, "user"), text(f, "device")),
        number(f, "amount"),
        text(f, "currency"),
        OrderStatus.of(text(f, "status")),
        payBy == 0 ? null : Instant.ofEpochMilli(payBy),
        deposit(f),
        new Cause(
            f.getOrDefault("reason", ""),
            f.getOrDefault("payment", ""),
            refund(f),
            f.getOrDefault("refund_part", "")));
  }

  /// The first word of `id amount`.
  private static @Nullable String deposit(Map<String, String> f) {
    String deposit = f.get("deposit");
    return deposit == null ? null : deposit.substring(0, deposit.indexOf(' '));
  }

  private static @Nullable Money refund(Map<String, String> f) {
    return f.containsKey("refund_amount")
        ? new Money(number(f, "refund_amount"), text(f, "refund_currency"))
        : null;
  }

  private static String text(Map<String, String> fields, String name) {
    String value = fields.get(name);
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException("the entry has no " + name);
    }
    return value;
  }

  private static long number(Map<String, String> fields, String name) {
    String value = text(fields, name);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is no whole number: " + value, e);
    }
  }

  private static int small(Map<String, String> fields, String name) {
    long value = number(fields, name);
    if (value != (int) value) {
      throw new IllegalArgumentException(name + " is too large: " + value);
    }
    return (int) value;
  }

  /// Whether this transition made the order paid: by a payment, or at creation when none is needed.
  boolean pays() {
    return kind == Kind.CONFIRMED
        || (kind == Kind.RESERVED && order != null && order.status() == OrderStatus.PAID);
  }

  enum Kind implements Word {
    RESERVED,
    EXTENDED,
    CONFIRMED,
    RELEASED,
    REFUND_DUE,
    REFUNDED,
    STOCK;

    static Kind of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }
}
