package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Every refusal that is a judgement about a person can be appealed against.
class AppealableCodesTest {
  /// The codes by the reason why refusals with them cannot be appealed against; it is empty for
  /// those that can. A new code needs a decision here.
  private static final Map<String, List<ErrorCode>> REASONS =
      Map.of(
          "",
          List.of(
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
              ErrorCode.CHALLENGE_REQUIRED),
          "a rule of the sale for everybody",
          List.of(
              ErrorCode.SIGN_IN_REQUIRED,
              ErrorCode.VERIFICATION_REQUIRED,
              ErrorCode.DEPOSIT_REQUIRED),
          "the state of the sale, of the place or of the order",
          List.of(
              ErrorCode.SALE_NOT_OPEN,
              ErrorCode.SALE_CLOSED,
              ErrorCode.SALE_BY_DRAW,
              ErrorCode.JOINS_STOPPED,
              ErrorCode.INSUFFICIENT_STOCK,
              ErrorCode.UNITS_RESERVED,
              ErrorCode.ALREADY_IN_QUEUE,
              ErrorCode.ALREADY_PURCHASED,
              ErrorCode.NOT_IN_QUEUE,
              ErrorCode.NOT_IN_ACTIVE,
              ErrorCode.NOT_READY,
              ErrorCode.TIMEOUT,
              ErrorCode.PRICE_CHANGED,
              ErrorCode.PLACE_GONE,
              ErrorCode.NOT_YOUR_TURN,
              ErrorCode.ROOM_FIRST,
              ErrorCode.ALREADY_INSIDE,
              ErrorCode.ROOM_NOT_WAITING,
              ErrorCode.ROOM_ENDED,
              ErrorCode.DRAW_DUE,
              ErrorCode.DRAW_STATE_CONFLICT,
              ErrorCode.ORDER_STATE_CONFLICT,
              ErrorCode.BUYER_DETAILS_REQUIRED,
              ErrorCode.DEPOSIT_STATE_CONFLICT,
              ErrorCode.ORDER_PRODUCT_MISMATCH,
              ErrorCode.ORDER_NOT_PAID,
              ErrorCode.ORDER_ALREADY_CLAIMED,
              ErrorCode.ORDER_EXPIRED,
              ErrorCode.ORDER_REVOKED,
              ErrorCode.ORDER_UNREADABLE,
              ErrorCode.REFUND_STATE_CONFLICT,
              ErrorCode.REFUND_TOO_LARGE,
              ErrorCode.CODE_STATE_CONFLICT),
          "the request is wrong, whoever sends it",
          List.of(
              ErrorCode.INVALID_REQUEST,
              ErrorCode.UNAUTHORIZED,
              ErrorCode.INVALID_REQUEST_SIGNATURE,
              ErrorCode.FORBIDDEN,
              ErrorCode.NOT_FOUND,
              ErrorCode.METHOD_NOT_ALLOWED,
              ErrorCode.PRODUCT_NOT_FOUND,
              ErrorCode.DEPOSIT_NOT_FOUND,
              ErrorCode.SESSION_NOT_FOUND,
              ErrorCode.ORDER_NOT_FOUND,
              ErrorCode.INVALID_PURCHASE_TOKEN,
              ErrorCode.IDEMPOTENCY_CONFLICT,
              ErrorCode.INVALID_SIGNATURE,
              ErrorCode.CODE_NOT_FOUND,
              ErrorCode.INVALID_CREDENTIALS,
              ErrorCode.USERNAME_TAKEN,
              ErrorCode.INVALID_CODE,
              ErrorCode.PASSKEY_REFUSED,
              ErrorCode.LAST_SIGN_IN,
              ErrorCode.ROOM_NOT_FOUND,
              ErrorCode.DRAW_NOT_FOUND,
              ErrorCode.ENTRY_NOT_FOUND,
              ErrorCode.INVALID_BEACON,
              ErrorCode.INVALID_PLACE_TOKEN,
              ErrorCode.INVALID_TURN,
              ErrorCode.LINK_NOT_FOUND,
              ErrorCode.LINK_GONE,
              ErrorCode.LINK_CODE_TAKEN,
              ErrorCode.LINK_TARGET_BLOCKED,
              ErrorCode.TOO_MANY_LINKS),
          "an operator's call",
          List.of(
              ErrorCode.ROLE_NOT_ALLOWED,
              ErrorCode.CONSOLE_SESSION_REQUIRED,
              ErrorCode.PRODUCT_EXISTS,
              ErrorCode.SALE_STATE_CONFLICT,
              ErrorCode.APPEAL_STATE_CONFLICT,
              ErrorCode.CONFIRMATION_REQUIRED,
              ErrorCode.BACKTEST_REQUIRED,
              ErrorCode.POLICY_STATE_CONFLICT,
              ErrorCode.TOO_MANY_API_KEYS,
              ErrorCode.TOO_MANY_PICTURES,
              ErrorCode.OPERATOR_EXISTS,
              ErrorCode.OPERATOR_LIMIT_REACHED,
              ErrorCode.LAST_OWNER,
              ErrorCode.TOO_MANY_ROOMS,
              ErrorCode.ROOM_EXISTS,
              ErrorCode.ROOM_CANNOT_DRAW,
              ErrorCode.DRAW_EXISTS,
              ErrorCode.TOO_MANY_DRAWS),
          "ours",
          List.of(
              ErrorCode.CODES_RUN_OUT,
              ErrorCode.PAYMENT_PROVIDER_UNAVAILABLE,
              ErrorCode.SERVICE_UNAVAILABLE,
              ErrorCode.SERVER_ERROR));

  private static String reason(ErrorCode code) {
    List<String> found =
        REASONS.entrySet().stream()
            .filter(each -> each.getValue().contains(code))
            .map(Map.Entry::getKey)
            .toList();
    assertThat(found).as(code + " has one reason").hasSize(1);
    return found.getFirst();
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
