package fairgate.sale.ledger;

import java.util.Locale;

/// The kind of an outbox event.
enum EventKind {
  RESERVED,
  EXTENDED,
  CONFIRMED,
  RELEASED,
  REFUND_DUE,
  REFUNDED,
  STOCK;

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static EventKind of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
