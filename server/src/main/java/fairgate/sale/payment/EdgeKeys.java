package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import java.util.ArrayList;
import java.util.List;

/// The keys and leading arguments that every edge of an order hands to its script. The script
/// compares the arguments with the order itself, so that keys and order always belong together.
final class EdgeKeys {
  private EdgeKeys() {}

  /// Sale, stock, order, session, purchases, pending, outbox, user bought, device bought.
  static List<String> of(SaleKeys keys, Order order) {
    return List.of(
        keys.sale(),
        keys.stock(),
        keys.order(order.id()),
        keys.session(order.session()),
        keys.purchases(),
        keys.pending(),
        keys.outbox(),
        keys.userBought(order.user()),
        keys.deviceBought(order.device()));
  }

  /// Order id, session, user, device, and what the script wants besides.
  static List<String> args(Order order, String... more) {
    List<String> args = new ArrayList<>(4 + more.length);
    args.add(order.id().value());
    args.add(order.session().value());
    args.add(order.user());
    args.add(order.device());
    args.addAll(List.of(more));
    return args;
  }
}
