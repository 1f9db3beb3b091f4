package fairgate.kernel;

/// Every refusal a caller can receive, by its stable wire name (the constant's own name).
///
/// Codes are never renamed or reused. What HTTP makes of one stands in
/// `fairgate.platform.http.StatusOf`; its text in three languages in `messages_*.properties`.
public enum ErrorCode {
  INVALID_REQUEST(Kind.CALLER),
  INVALID_TURNSTILE_TOKEN(Kind.CALLER),
  UNAUTHORIZED(Kind.CALLER),
  FORBIDDEN(Kind.CALLER),
  NOT_FOUND(Kind.CALLER),
  METHOD_NOT_ALLOWED(Kind.CALLER),
  PRODUCT_NOT_FOUND(Kind.CALLER),
  SESSION_NOT_FOUND(Kind.CALLER),
  ORDER_NOT_FOUND(Kind.CALLER),
  INVALID_PURCHASE_TOKEN(Kind.CALLER),
  IDEMPOTENCY_CONFLICT(Kind.CALLER),
  /// No account of this name has this password; nobody is told which of the two is wrong.
  INVALID_CREDENTIALS(Kind.CALLER),
  USERNAME_TAKEN(Kind.CALLER),
  /// The one-time code is wrong, used, or too old.
  INVALID_CODE(Kind.CALLER),
  /// The telephone or identity number belongs to another account.
  IDENTITY_TAKEN(Kind.CALLER),
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
