package fairgate.platform.http;

import fairgate.kernel.ErrorCode;

/// Maps error codes to HTTP statuses. A code without a status does not compile.
public final class StatusOf {
  private StatusOf() {}

  /// The HTTP status of a refusal with this code.
  public static int code(ErrorCode code) {
    return switch (code) {
      case INVALID_REQUEST,
          INVALID_SIGNATURE,
          ORDER_NOT_PAID,
          ORDER_PRODUCT_MISMATCH,
          ORDER_ALREADY_CLAIMED,
          ORDER_EXPIRED,
          ORDER_REVOKED,
          ORDER_UNREADABLE ->
          400;
      case UNAUTHORIZED, SIGN_IN_REQUIRED, INVALID_REQUEST_SIGNATURE, INVALID_CREDENTIALS -> 401;
      case INVALID_TURNSTILE_TOKEN,
          INVALID_PURCHASE_TOKEN,
          INVALID_CODE,
          PASSKEY_REFUSED,
          FORBIDDEN,
          ROLE_NOT_ALLOWED,
          CONSOLE_SESSION_REQUIRED,
          CLIENT_BANNED,
          INVITATION_INVALID,
          RISK_REFUSED,
          CHALLENGE_REQUIRED,
          VERIFICATION_REQUIRED,
          DEVICE_KEY_REQUIRED,
          INVALID_BEACON,
          LINK_TARGET_BLOCKED,
          INVALID_PLACE_TOKEN,
          INVALID_TURN ->
          403;
      case DEPOSIT_REQUIRED -> 402;
      case NOT_FOUND,
          DEPOSIT_NOT_FOUND,
          PRODUCT_NOT_FOUND,
          SESSION_NOT_FOUND,
          ORDER_NOT_FOUND,
          CODE_NOT_FOUND,
          LINK_NOT_FOUND,
          ROOM_NOT_FOUND,
          DRAW_NOT_FOUND,
          ENTRY_NOT_FOUND ->
          404;
      case METHOD_NOT_ALLOWED -> 405;
      case ALREADY_IN_QUEUE,
          USERNAME_TAKEN,
          IDENTITY_TAKEN,
          LAST_SIGN_IN,
          SALE_NOT_OPEN,
          SALE_CLOSED,
          JOINS_STOPPED,
          BUYER_DETAILS_REQUIRED,
          DEPOSIT_STATE_CONFLICT,
          NOT_IN_QUEUE,
          NOT_IN_ACTIVE,
          NOT_READY,
          INSUFFICIENT_STOCK,
          ALREADY_PURCHASED,
          PURCHASE_LIMIT_REACHED,
          NETWORK_LIMIT_REACHED,
          UNITS_RESERVED,
          ORDER_STATE_CONFLICT,
          PRICE_CHANGED,
          REFUND_STATE_CONFLICT,
          REFUND_TOO_LARGE,
          PRODUCT_EXISTS,
          SALE_STATE_CONFLICT,
          APPEAL_STATE_CONFLICT,
          CONFIRMATION_REQUIRED,
          BACKTEST_REQUIRED,
          POLICY_STATE_CONFLICT,
          TOO_MANY_API_KEYS,
          TOO_MANY_PICTURES,
          OPERATOR_EXISTS,
          OPERATOR_LIMIT_REACHED,
          LAST_OWNER,
          CODE_STATE_CONFLICT,
          TOO_MANY_LINKS,
          LINK_CODE_TAKEN,
          ROOM_FIRST,
          ROOM_NOT_WAITING,
          ROOM_ENDED,
          NOT_YOUR_TURN,
          ALREADY_INSIDE,
          TOO_MANY_ROOMS,
          ROOM_EXISTS,
          ROOM_CANNOT_DRAW,
          DRAW_STATE_CONFLICT,
          DRAW_DUE,
          DRAW_EXISTS,
          TOO_MANY_DRAWS,
          SALE_BY_DRAW ->
          409;
      case TIMEOUT, LINK_GONE, PLACE_GONE -> 410;
      case IDEMPOTENCY_CONFLICT -> 422;
      case RATE_LIMIT_EXCEEDED, UNPAID_COOLDOWN, TURN_MISSED -> 429;
      case SERVER_ERROR -> 500;
      case SERVICE_UNAVAILABLE, PAYMENT_PROVIDER_UNAVAILABLE, CODES_RUN_OUT -> 503;
    };
  }
}
