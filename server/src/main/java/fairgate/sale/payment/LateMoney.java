package fairgate.sale.payment;

/// What becomes of money that arrives after its reservation has ended.
public enum LateMoney {
  /// Take the units again when they are still free and no limit forbids it; else give the money
  /// back.
  REHOLD,
  /// Always give the money back.
  REFUND
}
