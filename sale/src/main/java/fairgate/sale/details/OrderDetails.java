package fairgate.sale.details;

import fairgate.kernel.OrderId;
import java.time.Instant;
import java.util.Map;

/// What the buyer of an order gave.
///
/// @param values by the key of the field; personal data, never to be logged
/// @param readable false when the master key that encrypted the values is missing or they were
///   altered
/// @param givenAt when it was given first
public record OrderDetails(
    OrderId order, Map<String, String> values, boolean readable, Instant givenAt) {
  public OrderDetails {
    values = Map.copyOf(values);
  }

  /// Without the values, so that no log has them.
  @Override
  public String toString() {
    return "OrderDetails[order=" + order.value() + ", values=[redacted]]";
  }
}
