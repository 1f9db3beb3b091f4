package fairgate.sale;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The outcome of an attempt to buy. Only `Reserved` with `replayed` false has sold anything.
public sealed interface PurchaseOutcome {
  /// The units are reserved: to be paid until `payBy` when pending, or paid already.
  ///
  /// @param status `pending` or `paid`
  /// @param payBy ms of Redis time; 0 when nothing is to be paid
  /// @param remaining free units right after the purchase
  /// @param replayed whether this is the first answer again, to the same idempotency key
  record Reserved(
      OrderId order,
      int quantity,
      Money amount,
      String status,
      long payBy,
      long remaining,
      boolean replayed)
      implements PurchaseOutcome {}

  /// Nothing was sold.
  sealed interface Refused extends PurchaseOutcome {
    default ErrorCode code() {
      return this instanceof TooMany ? ErrorCode.INVALID_REQUEST : refusal().code();
    }

    /// The refusal to send, the same for the API and the pages. Throws InvalidRequest for
    /// `TooMany`.
    default Refusal refusal() {
      return switch (this) {
        case IdempotencyConflict() -> Refusal.of(ErrorCode.IDEMPOTENCY_CONFLICT);
        case NoSuchProduct() -> Refusal.of(ErrorCode.PRODUCT_NOT_FOUND);
        case UnknownSession() -> Refusal.of(ErrorCode.SESSION_NOT_FOUND);
        case AlreadyPurchased(OrderId order) ->
            order == null
                ? Refusal.of(ErrorCode.ALREADY_PURCHASED)
                : Refusal.of(ErrorCode.ALREADY_PURCHASED).with("order_id", order.value());
        case SaleClosed() -> Refusal.of(ErrorCode.SALE_CLOSED);
        case SaleNotOpen() -> Refusal.of(ErrorCode.SALE_NOT_OPEN);
        case NotInQueue() -> Refusal.of(ErrorCode.NOT_IN_QUEUE);
        case NotInActive() -> Refusal.of(ErrorCode.NOT_IN_ACTIVE);
        case NotReady() -> Refusal.of(ErrorCode.NOT_READY);
        case TimedOut() -> Refusal.of(ErrorCode.TIMEOUT);
        case TokenRefused() -> Refusal.of(ErrorCode.INVALID_PURCHASE_TOKEN);
        case TooMany(int max) -> throw new InvalidRequest("quantity", "out_of_range", 1, max);
        case PriceChanged(Money amount) ->
            Refusal.of(ErrorCode.PRICE_CHANGED)
                .with("amount", amount.minorUnits())
                .with("currency", amount.currency())
                .with("currency_exponent", amount.exponent());
        case LimitReached() -> Refusal.of(ErrorCode.PURCHASE_LIMIT_REACHED);
        case NetworkLimitReached() -> Refusal.of(ErrorCode.NETWORK_LIMIT_REACHED);
        case Risky(Refusal explained) -> explained;
        case SoldOut() -> Refusal.of(ErrorCode.INSUFFICIENT_STOCK);
        case UnitsReserved(Instant until) ->
            Refusal.of(ErrorCode.UNITS_RESERVED).with("until", until.toString());
      };
    }
  }

  /// The idempotency key was used for another request.
  record IdempotencyConflict() implements Refused {}

  record NoSuchProduct() implements Refused {}

  record UnknownSession() implements Refused {}

  /// This session has bought before; its order, where known.
  record AlreadyPurchased(@Nullable OrderId order) implements Refused {}

  record SaleClosed() implements Refused {}

  record SaleNotOpen() implements Refused {}

  record NotInQueue() implements Refused {}

  record NotInActive() implements Refused {}

  record NotReady() implements Refused {}

  record TimedOut() implements Refused {}

  /// The purchase token is missing, forged, expired, used, or belongs to another session.
  record TokenRefused() implements Refused {}

  record TooMany(int max) implements Refused {}

  /// The buyer agreed to another amount than the present one.
  ///
  /// @param amount what they cost now
  record PriceChanged(Money amount) implements Refused {}

  /// The user or the device would have more units than allowed.
  record LimitReached() implements Refused {}

  /// The network from which the buyer joined would have more units than allowed.
  record NetworkLimitReached() implements Refused {}

  /// Fewer units are free at this instant than requested.
  record SoldOut() implements Refused {}

  /// Enough units are free, but only buyers of other tiers may take them.
  ///
  /// @param until when the last of them becomes open to everybody
  record UnitsReserved(Instant until) implements Refused {}

  record Risky(Refusal explained) implements Refused {}
}
