package fairgate.redeem.code;

/// What binding a seller's code to an order came to.
public sealed interface BindOutcome {
  /// It waits for the order's claim.
  record Bound() implements BindOutcome {}

  /// The same code was bound to the same order before, or already given out for it.
  record Repeated() implements BindOutcome {}

  /// The code belongs to another order, or stands earlier in the same call for another one.
  record CodeTaken() implements BindOutcome {}

  /// Another code waits for this order, or the order was claimed already.
  record OrderTaken() implements BindOutcome {}
}
