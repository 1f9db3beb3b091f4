package fairgate.sale.ledger;

import java.util.Locale;

/// The status of an order, in Redis and in the ledger: `pending` becomes `paid`, `cancelled` or
/// `expired`; `paid` may become `refunded`; a late payment may make a cancelled or expired order
/// `paid`.
public enum OrderStatus {
  /// Units are held until `pay_by`, for payment.
  PENDING,
  /// Paid, or created as paid where the sale requires no payment.
  PAID,
  CANCELLED,
  /// Not paid in time.
  EXPIRED,
  REFUNDED;

  /// The name in Redis, PostgreSQL and JSON.
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Parses a wire name; throws IllegalArgumentException for any other text.
  public static OrderStatus of(String wire) {
    return valueOf(wire.toUpperCase(Locale.ROOT));
  }

  /// The units that an order in this status holds and does not own.
  int held(int quantity) {
    return this == PENDING ? quantity : 0;
  }

  /// The units that an order in this status owns.
  int confirmed(int quantity) {
    return this == PAID ? quantity : 0;
  }
}
