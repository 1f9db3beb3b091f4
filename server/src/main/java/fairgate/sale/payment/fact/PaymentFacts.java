package fairgate.sale.payment.fact;

import fairgate.kernel.OrderId;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.Set;

/// What the ledger knows of payments.
public interface PaymentFacts {
  /// A payment and the order it was made for.
  record Fact(OrderId order, String payment) {}

  /// Those of the payments that are their order's in the ledger, or on its list of money to give
  /// back. Fails when the ledger does not answer.
  Future<Set<Fact>> known(Collection<Fact> facts);
}
