package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import fairgate.kernel.ProductId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A search for orders; null = any.
///
/// @param payment the provider's id of the payment that paid the order
/// @param users the buyer's references as in the orders, one of them
/// @param device the keyed hash of the browser
/// @param from the earliest time of the purchase
/// @param to the time before which it was
public record OrderQuery(
    @Nullable ProductId product,
    @Nullable OrderStatus status,
    @Nullable OrderNumber number,
    @Nullable String payment,
    @Nullable List<String> users,
    @Nullable String device,
    @Nullable Instant from,
    @Nullable Instant to) {
  /// All orders.
  public static final OrderQuery ALL =
      new OrderQuery(null, null, null, null, null, null, null, null);

  /// The orders with a number.
  public static OrderQuery of(OrderNumber number) {
    return new OrderQuery(null, null, number, null, null, null, null, null);
  }

  /// A page of the results, newest first.
  ///
  /// @param after the last order of the page before; null = the first page
  public record Page(@Nullable OrderId after, int size) {}
}
