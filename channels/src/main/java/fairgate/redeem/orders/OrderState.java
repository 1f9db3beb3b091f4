package fairgate.redeem.orders;

/// How far an order is from being redeemable.
public enum OrderState {
  /// It may be redeemed.
  PAID,
  /// Nobody has paid it, or not yet.
  UNPAID,
  /// It was paid, and the money went back.
  REVOKED;

  /// What a word of the table `orders`, or of an order system, means here. Words nobody knows are
  /// taken for unpaid: no code is given for them.
  public static OrderState of(String word) {
    return switch (word) {
      case "paid" -> PAID;
      case "refunded", "revoked" -> REVOKED;
      default -> UNPAID;
    };
  }
}
