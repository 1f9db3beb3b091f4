package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The common part of the scripts for transitions of an order: keys, leading arguments, and failure
/// replies. A script compares the arguments with the order, so keys and order always belong
/// together.
final class Edges {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private Edges() {}

  /// Sale, stock, order, session, purchases, pending, outbox, user bought, device bought.
  static List<String> keys(SaleKeys keys, Order order) {
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

  /// Order id, session, user, device, then the script's own arguments.
  static List<String> args(Order order, String... more) {
    List<String> args = new ArrayList<>(4 + more.length);
    args.add(order.id().value());
    args.add(order.session().value());
    args.add(order.user());
    args.add(order.device());
    args.addAll(List.of(more));
    return args;
  }

  /// Returns the exception for a reply without an outcome. `RETRY` means that the order was
  /// rewritten under the same id since it was read, or that Redis has restarted and the sale was
  /// not compared with the ledger since. It becomes ServiceUnavailable, and all callers repeat it.
  static RuntimeException unexpected(LuaScript script, RedisReply reply) {
    String word = reply.textAt(0);
    return word.equals("RETRY")
        ? new ServiceUnavailable(
            script.name() + ": the order changed hands, or redis has just started", RETRY_AFTER)
        : new IllegalStateException(script.name() + " replied " + word);
  }
}
