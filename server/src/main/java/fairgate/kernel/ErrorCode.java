package fairgate.kernel;

/// Every refusal a caller can receive, by its stable wire name (the constant's own name).
///
/// Codes are never renamed or reused. What HTTP makes of one stands in
/// `fairgate.platform.http.StatusOf`; its text in three languages in `messages_*.properties`.
public enum ErrorCode {
  INVALID_REQUEST(Kind.CALLER),
  INVALID_TURNSTILE_TOKEN(Kind.CALLER),
  UNAUTHORIZED(Kind.CALLER),
  /// The request is not signed though it has to be, or its signature is wrong or was there before.
  INVALID_REQUEST_SIGNATURE(Kind.CALLER),
  FORBIDDEN(Kind.CALLER),
  NOT_FOUND(Kind.CALLER),
  METHOD_NOT_ALLOWED(Kind.CALLER),
  PRODUCT_NOT_FOUND(Kind.CALLER),
  SESSION_NOT_FOUND(Kind.CALLER),
  ORDER_NOT_FOUND(Kind.CALLER),
  INVALID_PURCHASE_TOKEN(Kind.CALLER),
  IDEMPOTENCY_CONFLICT(Kind.CALLER),
  /// A claim without the signature the seller's system gives its orders.
  INVALID_SIGNATURE(Kind.CALLER),
  ORDER_PRODUCT_MISMATCH(Kind.CALLER),
  CODE_NOT_FOUND(Kind.CALLER),
  /// The caller's address, network, device, account or session is banned.
  CLIENT_BANNED(Kind.CALLER),
  ALREADY_IN_QUEUE(Kind.STATE),
  SALE_NOT_OPEN(Kind.STATE),
  SALE_CLOSED(Kind.STATE),
  NOT_IN_QUEUE(Kind.STATE),
  NOT_IN_ACTIVE(Kind.STATE),
  NOT_READY(Kind.STATE),
  TIMEOUT(Kind.STATE),
  INSUFFICIENT_STOCK(Kind.STATE),
  ALREADY_PURCHASED(Kind.STATE),
  PURCHASE_LIMIT_REACHED(Kind.STATE),
  /// The order is no longer in a state that allows the step asked for (paid, cancelled, expired).
  ORDER_STATE_CONFLICT(Kind.STATE),
  /// A product with this id exists already and differs.
  PRODUCT_EXISTS(Kind.STATE),
  /// The sale is not in a state that allows the step asked for (say, resuming a closed sale).
  SALE_STATE_CONFLICT(Kind.STATE),
  /// There are as many live API keys as there may be; revoke one first.
  TOO_MANY_API_KEYS(Kind.STATE),
  ORDER_NOT_PAID(Kind.STATE),
  ORDER_ALREADY_CLAIMED(Kind.STATE),
  ORDER_EXPIRED(Kind.STATE),
  /// The order was paid and the money went back, or its code was withdrawn.
  ORDER_REVOKED(Kind.STATE),
  /// The code is not in a state that allows the step asked for (say, activating a revoked one).
  CODE_STATE_CONFLICT(Kind.STATE),
  RATE_LIMIT_EXCEEDED(Kind.BUSY),
  SERVICE_UNAVAILABLE(Kind.BUSY),
  SERVER_ERROR(Kind.FAULT);

  private final Kind kind;

  ErrorCode(Kind kind) {
    this.kind = kind;
  }

  /// Who has to act on it; alerts are built on this.
  public Kind kind() {
    return kind;
  }

  /// Who has to act on a refusal.
  public enum Kind {
    /// The caller sent something wrong.
    CALLER,
    /// The caller is right and the world is not there yet, or no more.
    STATE,
    /// Come back later.
    BUSY,
    /// Ours to mend.
    FAULT
  }
}
