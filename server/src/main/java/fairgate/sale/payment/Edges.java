package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What the scripts of an order's edges have in common: their keys, their leading arguments, and
/// the words that fail. A script compares the arguments with the order itself, so that keys and
/// order always belong together.
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

  /// For a reply word the outcome type has no place for. `RETRY` means that the order was written
  /// anew under the same id since it was read, or that Redis has just started and the sale has not
  /// been compared with the ledger; every caller repeats a `ServiceUnavailable`.
  static RuntimeException unexpected(LuaScript script, RedisReply reply) {
    String word = reply.textAt(0);
    return word.equals("RETRY")
        ? new ServiceUnavailable(
            script.name() + ": the order changed hands, or redis has just started", RETRY_AFTER)
        : new IllegalStateException(script.name() + " replied " + word);
  }
}
