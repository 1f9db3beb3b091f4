package fairgate.sale.payment.fact;

import fairgate.kernel.OrderId;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.Set;

/// Reads payments in the ledger.
public interface PaymentFacts {
  /// A payment and the order it was made for.
  record Fact(OrderId order, String payment) {}

  /// Returns those payments that the ledger has for their order or on its list of refunds. Fails
  /// when the ledger does not answer.
  Future<Set<Fact>> known(Collection<Fact> facts);
}
