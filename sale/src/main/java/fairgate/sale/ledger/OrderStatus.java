package fairgate.sale.ledger;

import java.util.Locale;

/// The status of an order in the ledger.
public enum OrderStatus {
  PENDING,
  PAID,
  CANCELLED,
  EXPIRED,
  REFUNDED;

  /// The name in JSON, Redis and PostgreSQL.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static OrderStatus of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
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
