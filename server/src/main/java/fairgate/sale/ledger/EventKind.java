package fairgate.sale.ledger;

import java.util.Locale;

/// What an outbox entry tells.
enum EventKind {
  RESERVED,
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
