package fairgate.kernel;

/// The refusals that a caller can receive; the name of the constant is the stable wire name.
///
/// Codes are never renamed or reused. `fairgate.platform.http.StatusOf` maps them to HTTP statuses;
/// `messages_*.properties` has their texts in three languages.
public enum ErrorCode {
  INVALID_REQUEST(Kind.CALLER),
  INVALID_TURNSTILE_TOKEN(Kind.CALLER),
  UNAUTHORIZED(Kind.CALLER),
  /// The required signature of the request is missing, wrong or already used.
  INVALID_REQUEST_SIGNATURE(Kind.CALLER),
  FORBIDDEN(Kind.CALLER),
  /// The role of the operator, or of its token, does not permit the call.
  ROLE_NOT_ALLOWED(Kind.CALLER),
  /// The call needs an operator who is signed in at the console; a token is not enough.
  CONSOLE_SESSION_REQUIRED(Kind.CALLER),
  NOT_FOUND(Kind.CALLER),
  METHOD_NOT_ALLOWED(Kind.CALLER),
  PRODUCT_NOT_FOUND(Kind.CALLER),
  SESSION_NOT_FOUND(Kind.CALLER),
  ORDER_NOT_FOUND(Kind.CALLER),
  INVALID_PURCHASE_TOKEN(Kind.CALLER),
  IDEMPOTENCY_CONFLICT(Kind.CALLER),
  /// The claim lacks the signature that the seller's system adds to its orders.
  INVALID_SIGNATURE(Kind.CALLER),
  ORDER_PRODUCT_MISMATCH(Kind.CALLER),
  CODE_NOT_FOUND(Kind.CALLER),
  /// The caller's address, network, device, account or session is banned.
  CLIENT_BANNED(Kind.CALLER),
  /// The name or the password is wrong; the reply does not say which.
  INVALID_CREDENTIALS(Kind.CALLER),
  USERNAME_TAKEN(Kind.CALLER),
  /// The one-time code is wrong, used or expired.
  INVALID_CODE(Kind.CALLER),
  /// The telephone or identity number belongs to another account.
  IDENTITY_TAKEN(Kind.CALLER),
  /// The passkey is unknown, or its answer is invalid.
  PASSKEY_REFUSED(Kind.CALLER),
  /// The account would have no way to sign in.
  LAST_SIGN_IN(Kind.CALLER),
  ALREADY_IN_QUEUE(Kind.STATE),
  SALE_NOT_OPEN(Kind.STATE),
  SALE_CLOSED(Kind.STATE),
  JOINS_STOPPED(Kind.STATE),
  /// The sale is joined with a paid deposit, and the buyer has none.
  DEPOSIT_REQUIRED(Kind.STATE),
  /// There is no deposit with this id, it belongs to somebody else, or the sale asks for none.
  DEPOSIT_NOT_FOUND(Kind.CALLER),
  /// The deposit cannot be given back: a place, an entry or an order has it, or it has ended.
  DEPOSIT_STATE_CONFLICT(Kind.STATE),
  BUYER_DETAILS_REQUIRED(Kind.STATE),
  NOT_IN_QUEUE(Kind.STATE),
  NOT_IN_ACTIVE(Kind.STATE),
  NOT_READY(Kind.STATE),
  TIMEOUT(Kind.STATE),
  INSUFFICIENT_STOCK(Kind.STATE),
  ALREADY_PURCHASED(Kind.STATE),
  PURCHASE_LIMIT_REACHED(Kind.STATE),
  /// The caller's network has the maximum number of places or units of this sale.
  NETWORK_LIMIT_REACHED(Kind.STATE),
  /// The remaining units are reserved for buyers of other tiers for some time.
  UNITS_RESERVED(Kind.STATE),
  /// The invitation is unknown or was used by somebody else.
  INVITATION_INVALID(Kind.CALLER),
  /// The risk of the request is too high; the reply has a reason and a way to appeal.
  RISK_REFUSED(Kind.CALLER),
  /// The join needs a challenge of a higher cost.
  CHALLENGE_REQUIRED(Kind.CALLER),
  /// The sale needs a signed-in account.
  SIGN_IN_REQUIRED(Kind.CALLER),
  /// The sale needs an account with a verified telephone or identity number, or an older one.
  VERIFICATION_REQUIRED(Kind.CALLER),
  /// The sale needs a browser that proves its device key, the same as at the join.
  DEVICE_KEY_REQUIRED(Kind.CALLER),
  /// The state of the order does not allow the step (paid, cancelled, expired).
  ORDER_STATE_CONFLICT(Kind.STATE),
  /// The price has changed since the buyer agreed to it.
  PRICE_CHANGED(Kind.STATE),
  /// The state of the refund does not allow the decision (completed, abandoned, in progress).
  REFUND_STATE_CONFLICT(Kind.STATE),
  /// The refund is larger than what can still be refunded.
  REFUND_TOO_LARGE(Kind.STATE),
  /// A different product with this id exists.
  PRODUCT_EXISTS(Kind.STATE),
  /// The state of the sale does not allow the step (for example resuming a closed sale).
  SALE_STATE_CONFLICT(Kind.STATE),
  /// The appeal has been decided.
  APPEAL_STATE_CONFLICT(Kind.STATE),
  /// The change affects the price for buyers of a running sale; `confirm` must name it.
  CONFIRMATION_REQUIRED(Kind.STATE),
  /// The latest backtest of the version of the risk policy judged no decision, or there is none;
  /// `confirm` activates it nevertheless.
  BACKTEST_REQUIRED(Kind.STATE),
  /// The state of the risk policy does not allow the step (for example a second canary).
  POLICY_STATE_CONFLICT(Kind.STATE),
  /// The maximum number of API keys is reached; revoke one first.
  TOO_MANY_API_KEYS(Kind.STATE),
  /// The pictures of products take up all the space that they may.
  TOO_MANY_PICTURES(Kind.STATE),
  /// Another operator has this name.
  OPERATOR_EXISTS(Kind.STATE),
  /// The maximum number of operators, or of live tokens of one operator, is reached.
  OPERATOR_LIMIT_REACHED(Kind.STATE),
  /// No owner would be left who can sign in.
  LAST_OWNER(Kind.STATE),
  ORDER_NOT_PAID(Kind.STATE),
  ORDER_ALREADY_CLAIMED(Kind.STATE),
  ORDER_EXPIRED(Kind.STATE),
  /// The order was refunded, or its code was withdrawn.
  ORDER_REVOKED(Kind.STATE),
  /// What the order system says about this order cannot be used; other orders are not affected.
  ORDER_UNREADABLE(Kind.STATE),
  /// The state of the code does not allow the step (for example activating a revoked code).
  CODE_STATE_CONFLICT(Kind.STATE),
  /// There is no short link with this code.
  LINK_NOT_FOUND(Kind.CALLER),
  /// The short link is disabled, banned, used up or expired.
  LINK_GONE(Kind.STATE),
  /// The code belongs to another short link or is reserved.
  LINK_CODE_TAKEN(Kind.STATE),
  /// Short links to this host are not allowed.
  LINK_TARGET_BLOCKED(Kind.CALLER),
  /// The owner has the maximum number of short links.
  TOO_MANY_LINKS(Kind.STATE),
  /// The buyer did not pay for reserved units and may not join for some time.
  UNPAID_COOLDOWN(Kind.STATE),
  /// The buyer missed a turn and may not join for some time.
  TURN_MISSED(Kind.STATE),
  /// There is no waiting room with this id.
  ROOM_NOT_FOUND(Kind.CALLER),
  /// The place token is invalid, or the caller has not proved to be its owner.
  INVALID_PLACE_TOKEN(Kind.CALLER),
  /// The turn is invalid, expired or was used.
  INVALID_TURN(Kind.CALLER),
  /// The sale has a waiting room, and the caller has no pass of it.
  ROOM_FIRST(Kind.STATE),
  /// Nobody has to wait in this room now.
  ROOM_NOT_WAITING(Kind.STATE),
  /// The waiting room has ended.
  ROOM_ENDED(Kind.STATE),
  /// The visitor was absent for too long, has left, or has entered already.
  PLACE_GONE(Kind.STATE),
  NOT_YOUR_TURN(Kind.STATE),
  /// The visitor has entered already.
  ALREADY_INSIDE(Kind.STATE),
  /// The maximum number of waiting rooms is reached.
  TOO_MANY_ROOMS(Kind.STATE),
  /// There is a waiting room with this id already.
  ROOM_EXISTS(Kind.STATE),
  /// The room has admitted visitors, so the order before an opening can no longer be drawn.
  ROOM_CANNOT_DRAW(Kind.STATE),
  /// There is no draw with this id.
  DRAW_NOT_FOUND(Kind.CALLER),
  /// The caller has no entry in this draw.
  ENTRY_NOT_FOUND(Kind.CALLER),
  /// The beacon is not the signature of the round that decides.
  INVALID_BEACON(Kind.CALLER),
  /// The state of the draw does not allow the step (for example entering after its end).
  DRAW_STATE_CONFLICT(Kind.STATE),
  /// The random number of the draw is due, so that the draw can no longer be aborted.
  DRAW_DUE(Kind.STATE),
  /// Another draw has this id, or the sale has another draw that is not over.
  DRAW_EXISTS(Kind.STATE),
  /// The maximum number of draws is reached.
  TOO_MANY_DRAWS(Kind.STATE),
  /// The places of the sale are drawn by lot; nobody can queue for it.
  SALE_BY_DRAW(Kind.STATE),
  /// The seller has run out of codes; the order can be claimed later.
  CODES_RUN_OUT(Kind.BUSY),
  /// The payment provider does not answer. The order keeps its units, and its time to pay stands
  /// still.
  PAYMENT_PROVIDER_UNAVAILABLE(Kind.BUSY),
  RATE_LIMIT_EXCEEDED(Kind.BUSY),
  SERVICE_UNAVAILABLE(Kind.BUSY),
  SERVER_ERROR(Kind.FAULT);

  private final Kind kind;

  ErrorCode(Kind kind) {
    this.kind = kind;
  }

  /// The kind of the refusal; alerts are based on it.
  public Kind kind() {
    return kind;
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
