package fairgate.redeem;

import fairgate.redeem.orders.KnownOrder;
import fairgate.redeem.product.RedeemProduct;
import java.time.Duration;
import java.util.List;

/// What an order number is found to be, before anything is written.
sealed interface Verdict {
  /// It was redeemed.
  ///
  /// @param exactly whether it is the very number and product that were asked for
  record Redeemed(StoredOrder.Redeemed by, boolean exactly) implements Verdict {}

  /// It may be redeemed.
  ///
  /// @param stored whether the database has the order
  record Good(KnownOrder order, boolean stored, RedeemProduct product) implements Verdict {}

  /// It may be redeemed as soon as its seller brings a code for it.
  record NoCode() implements Verdict {}

  /// It may not.
  record Bad(ClaimOutcome.Reason reason) implements Verdict {}

  /// Several platforms have an order of this number.
  record Ambiguous(List<String> platforms) implements Verdict {}

  /// Nobody can tell now.
  record Unavailable(Duration retryAfter) implements Verdict {}
}
