package fairgate.crowd.proof;

/// What was asked of the server.
public enum Act {
  JOIN,
  STATUS,
  LEAVE,
  PURCHASE,
  CANCEL,
  /// The code of an order is claimed.
  CLAIM,
  /// A gateway's message that a payment was made.
  CALLBACK,
  /// The same, of an order that is not there yet.
  EARLY,
  /// The same, signed by nobody who may.
  FORGED,
  /// An operator gives an order's money back.
  OPERATOR_REFUND,
  /// An operator ends an unpaid order.
  OPERATOR_CANCEL,
  /// Any other call of an operator.
  ADMIN
}
