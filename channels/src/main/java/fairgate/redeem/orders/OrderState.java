package fairgate.redeem.orders;

/// How far an order is from being redeemable.
public enum OrderState {
  /// It may be redeemed.
  PAID,
  /// Not paid, or not yet.
  UNPAID,
  /// It was paid, and the money went back.
  REVOKED;

  /// The state for a status of the table `orders` or of an order system. An unknown status counts
  /// as unpaid: the order gets no code.
  public static OrderState of(String word) {
    return switch (word) {
      case "paid" -> PAID;
      case "refunded", "revoked" -> REVOKED;
      default -> UNPAID;
    };
  }
}
