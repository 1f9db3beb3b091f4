package fairgate.sale;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import org.jspecify.annotations.Nullable;

/// What one attempt to buy came to. Only `Reserved` with `replayed` false has changed anything.
public sealed interface PurchaseOutcome {
  /// The units are the buyer's: to be paid until `payBy` when pending, or paid already.
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

  /// No such session, or no such sale.
  record UnknownSession() implements PurchaseOutcome {}

  /// This session has bought; its order, where known.
  record AlreadyPurchased(@Nullable OrderId order) implements PurchaseOutcome {}

  record SaleClosed() implements PurchaseOutcome {}

  /// The sale has not begun or is paused.
  record SaleNotOpen() implements PurchaseOutcome {}

  record NotInQueue() implements PurchaseOutcome {}

  record NotInActive() implements PurchaseOutcome {}

  record NotReady() implements PurchaseOutcome {}

  /// The purchase window is over.
  record TimedOut() implements PurchaseOutcome {}

  /// The purchase token is missing, forged, expired, used, or another session's.
  record TokenRefused() implements PurchaseOutcome {}

  /// More units than one purchase may take.
  record TooMany(int most) implements PurchaseOutcome {}

  /// The user or the device would hold more units than one may.
  record LimitReached() implements PurchaseOutcome {}

  /// Fewer free units than asked for, at this instant.
  record SoldOut() implements PurchaseOutcome {}
}
