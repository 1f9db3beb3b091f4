package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every refusal that is a judgement about a person can be appealed against.
class AppealableCodesTest {
  /// Why a refusal with this code cannot be appealed against; empty when it can. There is no
  /// default, so a new code needs a decision here.
  private static String reason(ErrorCode code) {
    return switch (code) {
      case CLIENT_BANNED,
          RATE_LIMIT_EXCEEDED,
          NETWORK_LIMIT_REACHED,
          PURCHASE_LIMIT_REACHED,
          UNPAID_COOLDOWN,
          TURN_MISSED,
          INVALID_TURNSTILE_TOKEN,
          IDENTITY_TAKEN,
          INVITATION_INVALID,
          DEVICE_KEY_REQUIRED,
          RISK_REFUSED,
          CHALLENGE_REQUIRED ->
          "";
      case SIGN_IN_REQUIRED, VERIFICATION_REQUIRED, DEPOSIT_REQUIRED -> "a rule for everybody";
      case SALE_NOT_OPEN,
          SALE_CLOSED,
          SALE_BY_DRAW,
          JOINS_STOPPED,
          INSUFFICIENT_STOCK,
          UNITS_RESERVED,
          ALREADY_IN_QUEUE,
          ALREADY_PURCHASED,
          NOT_IN_QUEUE,
          NOT_IN_ACTIVE,
          NOT_READY,
          TIMEOUT,
          PRICE_CHANGED,
          PLACE_GONE,
          NOT_YOUR_TURN,
          ROOM_FIRST,
          ALREADY_INSIDE,
          ROOM_NOT_WAITING,
          ROOM_ENDED,
          DRAW_DUE,
          DRAW_STATE_CONFLICT,
          ORDER_STATE_CONFLICT,
          BUYER_DETAILS_REQUIRED,
          ORDER_PRODUCT_MISMATCH,
          ORDER_NOT_PAID,
          ORDER_ALREADY_CLAIMED,
          ORDER_EXPIRED,
          ORDER_REVOKED,
          REFUND_STATE_CONFLICT,
          REFUND_TOO_LARGE,
          CODE_STATE_CONFLICT ->
          "the state of the sale, of the place or of the order";
      case INVALID_REQUEST,
          UNAUTHORIZED,
          INVALID_REQUEST_SIGNATURE,
          FORBIDDEN,
          NOT_FOUND,
          METHOD_NOT_ALLOWED,
          PRODUCT_NOT_FOUND,
          SESSION_NOT_FOUND,
          DEPOSIT_NOT_FOUND,
          ORDER_NOT_FOUND,
          INVALID_PURCHASE_TOKEN,
          IDEMPOTENCY_CONFLICT,
          INVALID_SIGNATURE,
          CODE_NOT_FOUND,
          INVALID_CREDENTIALS,
          USERNAME_TAKEN,
          INVALID_CODE,
          PASSKEY_REFUSED,
          LAST_SIGN_IN,
          ROOM_NOT_FOUND,
          DRAW_NOT_FOUND,
          ENTRY_NOT_FOUND,
          INVALID_BEACON,
          INVALID_PLACE_TOKEN,
          INVALID_TURN,
          LINK_NOT_FOUND,
          LINK_GONE,
          LINK_CODE_TAKEN,
          LINK_TARGET_BLOCKED,
          TOO_MANY_LINKS ->
          "the request is wrong, whoever sends it";
      case ROLE_NOT_ALLOWED,
          CONSOLE_SESSION_REQUIRED,
          PRODUCT_EXISTS,
          SALE_STATE_CONFLICT,
          APPEAL_STATE_CONFLICT,
          CONFIRMATION_REQUIRED,
          BACKTEST_REQUIRED,
          POLICY_STATE_CONFLICT,
          TOO_MANY_API_KEYS,
          OPERATOR_EXISTS,
          OPERATOR_LIMIT_REACHED,
          LAST_OWNER,
          TOO_MANY_ROOMS,
          ROOM_EXISTS,
          ROOM_CANNOT_DRAW,
          DRAW_EXISTS,
          TOO_MANY_DRAWS ->
          "an operator's call";
      case CODES_RUN_OUT, PAYMENT_PROVIDER_UNAVAILABLE, SERVICE_UNAVAILABLE, SERVER_ERROR -> "ours";
    };
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalOfAPersonCanBeAppealedAgainst(ErrorCode code) {
    assertThat(Decision.isAppealable(code)).as(reason(code)).isEqualTo(reason(code).isEmpty());
  }

  @Test
  void positionsInIdsNeverChange() {
    assertThat(Decision.CODES)
        .startsWith(
            ErrorCode.CLIENT_BANNED,
            ErrorCode.RATE_LIMIT_EXCEEDED,
            ErrorCode.NETWORK_LIMIT_REACHED,
            ErrorCode.PURCHASE_LIMIT_REACHED,
            ErrorCode.UNPAID_COOLDOWN,
            ErrorCode.TURN_MISSED,
            ErrorCode.INVALID_TURNSTILE_TOKEN,
            ErrorCode.IDENTITY_TAKEN,
            ErrorCode.INVITATION_INVALID,
            ErrorCode.DEVICE_KEY_REQUIRED,
            ErrorCode.RISK_REFUSED,
            ErrorCode.CHALLENGE_REQUIRED);
  }
}
