package fairgate.sale.payment;

import java.util.Locale;

/// Where an order stands: `pending` becomes `paid`, `cancelled` or `expired`; `paid` may become
/// `refunded`; late money may bring a cancelled or expired order back to `paid`.
public enum OrderStatus {
  /// Units are held, payment is awaited until `pay_by`.
  PENDING,
  /// Paid, or born paid where the sale asks for no payment.
  PAID,
  /// Given up by its owner before it was paid.
  CANCELLED,
  /// Not paid in time.
  EXPIRED,
  /// Paid, and the money was given back.
  REFUNDED;

  /// The name in Redis, PostgreSQL and JSON.
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Reads a wire name; throws IllegalArgumentException for any other text.
  public static OrderStatus of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }
}
