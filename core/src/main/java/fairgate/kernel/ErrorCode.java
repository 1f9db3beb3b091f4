package fairgate.kernel;

/// The refusals that a caller can receive; the name of the constant is the stable wire name.
///
/// Codes are never renamed or reused. `fairgate/platform/texts.json` has their texts.
public enum ErrorCode {
  INVALID_REQUEST(Kind.CALLER, 400),
  INVALID_TURNSTILE_TOKEN(Kind.CALLER, 403),
  UNAUTHORIZED(Kind.CALLER, 401),
  /// The required signature of the request is missing, wrong or already used.
  INVALID_REQUEST_SIGNATURE(Kind.CALLER, 401),
  FORBIDDEN(Kind.CALLER, 403),
  /// The role of the operator, or of its token, does not permit the call.
  ROLE_NOT_ALLOWED(Kind.CALLER, 403),
  /// The call needs an operator who is signed in at the console; a token is not enough.
  CONSOLE_SESSION_REQUIRED(Kind.CALLER, 403),
  NOT_FOUND(Kind.CALLER, 404),
  METHOD_NOT_ALLOWED(Kind.CALLER, 405),
  PRODUCT_NOT_FOUND(Kind.CALLER, 404),
  SESSION_NOT_FOUND(Kind.CALLER, 404),
  ORDER_NOT_FOUND(Kind.CALLER, 404),
  INVALID_PURCHASE_TOKEN(Kind.CALLER, 403),
  IDEMPOTENCY_CONFLICT(Kind.CALLER, 422),
  /// The claim lacks the signature that the seller's system adds to its orders.
  INVALID_SIGNATURE(Kind.CALLER, 400),
  ORDER_PRODUCT_MISMATCH(Kind.CALLER, 400),
  CODE_NOT_FOUND(Kind.CALLER, 404),
  /// The caller's address, network, device, account or session is banned.
  CLIENT_BANNED(Kind.CALLER, 403),
  /// The name or the password is wrong; the reply does not say which.
  INVALID_CREDENTIALS(Kind.CALLER, 401),
  USERNAME_TAKEN(Kind.CALLER, 409),
  /// The one-time code is wrong, used or expired.
  INVALID_CODE(Kind.CALLER, 403),
  /// The telephone or identity number belongs to another account.
  IDENTITY_TAKEN(Kind.CALLER, 409),
  /// The passkey is unknown, or its answer is invalid.
  PASSKEY_REFUSED(Kind.CALLER, 403),
  /// The account would have no way to sign in.
  LAST_SIGN_IN(Kind.CALLER, 409),
  ALREADY_IN_QUEUE(Kind.STATE, 409),
  SALE_NOT_OPEN(Kind.STATE, 409),
  SALE_CLOSED(Kind.STATE, 409),
  JOINS_STOPPED(Kind.STATE, 409),
  /// The sale is joined with a paid deposit, and the buyer has none.
  DEPOSIT_REQUIRED(Kind.STATE, 402),
  /// There is no deposit with this id, it belongs to somebody else, or the sale asks for none.
  DEPOSIT_NOT_FOUND(Kind.CALLER, 404),
  /// The deposit cannot be given back: a place, an entry or an order has it, or it has ended.
  DEPOSIT_STATE_CONFLICT(Kind.STATE, 409),
  BUYER_DETAILS_REQUIRED(Kind.STATE, 409),
  NOT_IN_QUEUE(Kind.STATE, 409),
  NOT_IN_ACTIVE(Kind.STATE, 409),
  NOT_READY(Kind.STATE, 409),
  TIMEOUT(Kind.STATE, 410),
  INSUFFICIENT_STOCK(Kind.STATE, 409),
  ALREADY_PURCHASED(Kind.STATE, 409),
  PURCHASE_LIMIT_REACHED(Kind.STATE, 409),
  /// The caller's network has the maximum number of places or units of this sale.
  NETWORK_LIMIT_REACHED(Kind.STATE, 409),
  /// The remaining units are reserved for buyers of other tiers for some time.
  UNITS_RESERVED(Kind.STATE, 409),
  /// The invitation is unknown or was used by somebody else.
  INVITATION_INVALID(Kind.CALLER, 403),
  /// The risk of the request is too high; the reply has a reason and a way to appeal.
  RISK_REFUSED(Kind.CALLER, 403),
  /// The join needs a challenge of a higher cost.
  CHALLENGE_REQUIRED(Kind.CALLER, 403),
  /// The sale needs a signed-in account.
  SIGN_IN_REQUIRED(Kind.CALLER, 401),
  /// The sale needs an account with a verified telephone or identity number, or an older one.
  VERIFICATION_REQUIRED(Kind.CALLER, 403),
  /// The sale needs a browser that proves its device key, the same as at the join.
  DEVICE_KEY_REQUIRED(Kind.CALLER, 403),
  /// The state of the order does not allow the step (paid, cancelled, expired).
  ORDER_STATE_CONFLICT(Kind.STATE, 409),
  /// The price has changed since the buyer agreed to it.
  PRICE_CHANGED(Kind.STATE, 409),
  /// The state of the refund does not allow the decision (completed, abandoned, in progress).
  REFUND_STATE_CONFLICT(Kind.STATE, 409),
  /// The refund is larger than what can still be refunded.
  REFUND_TOO_LARGE(Kind.STATE, 409),
  /// A different product with this id exists.
  PRODUCT_EXISTS(Kind.STATE, 409),
  /// The state of the sale does not allow the step (for example resuming a closed sale).
  SALE_STATE_CONFLICT(Kind.STATE, 409),
  /// The appeal has been decided.
  APPEAL_STATE_CONFLICT(Kind.STATE, 409),
  /// The change affects the price for buyers of a running sale; `confirm` must name it.
  CONFIRMATION_REQUIRED(Kind.STATE, 409),
  /// The latest backtest of the version of the risk policy judged no decision, or there is none;
  /// `confirm` activates it nevertheless.
  BACKTEST_REQUIRED(Kind.STATE, 409),
  /// The state of the risk policy does not allow the step (for example a second canary).
  POLICY_STATE_CONFLICT(Kind.STATE, 409),
  /// The maximum number of API keys is reached; revoke one first.
  TOO_MANY_API_KEYS(Kind.STATE, 409),
  /// The pictures of products take up all the space that they may.
  TOO_MANY_PICTURES(Kind.STATE, 409),
  /// Another operator has this name.
  OPERATOR_EXISTS(Kind.STATE, 409),
  /// The maximum number of operators, or of live tokens of one operator, is reached.
  OPERATOR_LIMIT_REACHED(Kind.STATE, 409),
  /// No owner would be left who can sign in.
  LAST_OWNER(Kind.STATE, 409),
  ORDER_NOT_PAID(Kind.STATE, 400),
  ORDER_ALREADY_CLAIMED(Kind.STATE, 400),
  ORDER_EXPIRED(Kind.STATE, 400),
  /// The order was refunded, or its code was withdrawn.
  ORDER_REVOKED(Kind.STATE, 400),
  /// What the order system says about this order cannot be used; other orders are not affected.
  ORDER_UNREADABLE(Kind.STATE, 400),
  /// The state of the code does not allow the step (for example activating a revoked code).
  CODE_STATE_CONFLICT(Kind.STATE, 409),
  /// There is no short link with this code.
  LINK_NOT_FOUND(Kind.CALLER, 404),
  /// The short link is disabled, banned, used up or expired.
  LINK_GONE(Kind.STATE, 410),
  /// The code belongs to another short link or is reserved.
  LINK_CODE_TAKEN(Kind.STATE, 409),
  /// Short links to this host are not allowed.
  LINK_TARGET_BLOCKED(Kind.CALLER, 403),
  /// The owner has the maximum number of short links.
  TOO_MANY_LINKS(Kind.STATE, 409),
  /// The buyer did not pay for reserved units and may not join for some time.
  UNPAID_COOLDOWN(Kind.STATE, 429),
  /// The buyer missed a turn and may not join for some time.
  TURN_MISSED(Kind.STATE, 429),
  /// There is no waiting room with this id.
  ROOM_NOT_FOUND(Kind.CALLER, 404),
  /// The place token is invalid, or the caller has not proved to be its owner.
  INVALID_PLACE_TOKEN(Kind.CALLER, 403),
  /// The turn is invalid, expired or was used.
  INVALID_TURN(Kind.CALLER, 403),
  /// The sale has a waiting room, and the caller has no pass of it.
  ROOM_FIRST(Kind.STATE, 409),
  /// Nobody has to wait in this room now.
  ROOM_NOT_WAITING(Kind.STATE, 409),
  /// The waiting room has ended.
  ROOM_ENDED(Kind.STATE, 409),
  /// The visitor was absent for too long, has left, or has entered already.
  PLACE_GONE(Kind.STATE, 410),
  NOT_YOUR_TURN(Kind.STATE, 409),
  /// The visitor has entered already.
  ALREADY_INSIDE(Kind.STATE, 409),
  /// The maximum number of waiting rooms is reached.
  TOO_MANY_ROOMS(Kind.STATE, 409),
  /// There is a waiting room with this id already.
  ROOM_EXISTS(Kind.STATE, 409),
  /// The room has admitted visitors, so the order before an opening can no longer be drawn.
  ROOM_CANNOT_DRAW(Kind.STATE, 409),
  /// There is no draw with this id.
  DRAW_NOT_FOUND(Kind.CALLER, 404),
  /// The caller has no entry in this draw.
  ENTRY_NOT_FOUND(Kind.CALLER, 404),
  /// The beacon is not the signature of the round that decides.
  INVALID_BEACON(Kind.CALLER, 403),
  /// The state of the draw does not allow the step (for example entering after its end).
  DRAW_STATE_CONFLICT(Kind.STATE, 409),
  /// The random number of the draw is due, so that the draw can no longer be aborted.
  DRAW_DUE(Kind.STATE, 409),
  /// Another draw has this id, or the sale has another draw that is not over.
  DRAW_EXISTS(Kind.STATE, 409),
  /// The maximum number of draws is reached.
  TOO_MANY_DRAWS(Kind.STATE, 409),
  /// The places of the sale are drawn by lot; nobody can queue for it.
  SALE_BY_DRAW(Kind.STATE, 409),
  /// The seller has run out of codes; the order can be claimed later.
  CODES_RUN_OUT(Kind.BUSY, 503),
  /// The payment provider does not answer. The order keeps its units, and its time to pay stands
  /// still.
  PAYMENT_PROVIDER_UNAVAILABLE(Kind.BUSY, 503),
  RATE_LIMIT_EXCEEDED(Kind.BUSY, 429),
  SERVICE_UNAVAILABLE(Kind.BUSY, 503),
  SERVER_ERROR(Kind.FAULT, 500);

  private final Kind kind;
  private final int status;

  ErrorCode(Kind kind, int status) {
    this.kind = kind;
    this.status = status;
  }

  /// The kind of the refusal; alerts are based on it.
  public Kind kind() {
    return kind;
  }

  /// The HTTP status of a refusal with this code.
  public int status() {
    return status;
  }

  /// The kinds of refusals.
  public enum Kind {
    /// The request is wrong.
    CALLER,
    /// The request is correct but does not fit the current state.
    STATE,
    /// The caller should try again later.
    BUSY,
    /// The server failed.
    FAULT
  }
}
