package fairgate.sale.ledger;

import java.util.Locale;

/// Where an order stands.
public enum OrderStatus {
  PENDING,
  PAID,
  CANCELLED,
  EXPIRED,
  REFUNDED;

  /// The name in JSON, in Redis and in PostgreSQL.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static OrderStatus of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /// The units such an order holds without owning them.
  int held(int quantity) {
    return this == PENDING ? quantity : 0;
  }

  /// The units such an order owns.
  int confirmed(int quantity) {
    return this == PAID ? quantity : 0;
  }
}
