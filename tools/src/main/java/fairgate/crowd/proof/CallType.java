package fairgate.crowd.proof;

/// The operation that a call requests.
public enum CallType {
  JOIN,
  STATUS,
  LEAVE,
  /// A buyer asks for the sale's deposit.
  DEPOSIT,
  /// A buyer registers on the waiting list.
  REGISTER,
  PURCHASE,
  CANCEL,
  /// The code of an order is claimed.
  CLAIM,
  /// A ticket is scanned at an entrance.
  CHECK_IN,
  /// A gateway's message that a payment was made.
  CALLBACK,
  /// A payment message for an order that does not exist yet.
  EARLY,
  /// A payment message with an invalid signature.
  FORGED,
  /// An operator refunds an order.
  OPERATOR_REFUND,
  /// An operator refunds a part of an order.
  OPERATOR_PART,
  /// An operator cancels an unpaid order.
  OPERATOR_CANCEL,
  /// Any other call of an operator.
  ADMIN
}
