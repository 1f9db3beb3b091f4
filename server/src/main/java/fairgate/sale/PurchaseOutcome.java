package fairgate.sale;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import org.jspecify.annotations.Nullable;

/// The outcome of an attempt to buy. Only `Reserved` with `replayed` false has changed anything.
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

  /// The idempotency key was used for another request.
  record IdempotencyConflict() implements PurchaseOutcome {}

  /// There is no such product.
  record NoSuchProduct() implements PurchaseOutcome {}

  /// There is no such session, or no such sale.
  record UnknownSession() implements PurchaseOutcome {}

  /// This session has bought before; its order, where known.
  record AlreadyPurchased(@Nullable OrderId order) implements PurchaseOutcome {}

  record SaleClosed() implements PurchaseOutcome {}

  /// The sale has not opened or is paused.
  record SaleNotOpen() implements PurchaseOutcome {}

  record NotInQueue() implements PurchaseOutcome {}

  record NotInActive() implements PurchaseOutcome {}

  record NotReady() implements PurchaseOutcome {}

  /// The purchase window is over.
  record TimedOut() implements PurchaseOutcome {}

  /// The purchase token is missing, forged, expired, used, or belongs to another session.
  record TokenRefused() implements PurchaseOutcome {}

  /// More units than one order may have.
  record TooMany(int most) implements PurchaseOutcome {}

  /// The buyer agreed to another amount than the present one.
  ///
  /// @param amount what they cost now
  record PriceChanged(Money amount) implements PurchaseOutcome {}

  /// The user or the device would have more units than allowed.
  record LimitReached() implements PurchaseOutcome {}

  /// Fewer units are free at this instant than requested.
  record SoldOut() implements PurchaseOutcome {}
}
