package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I10;
import static fairgate.prove.check.Invariant.I9;

import fairgate.crowd.proof.Act;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Said;
import java.util.Set;

/// The gateway's word against the ledger.
final class MoneyCheck {
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;

  private final Evidence evidence;
  private final Tally tally;

  MoneyCheck(Evidence evidence, Tally tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, Books books) {
    for (Gateway.Payment payment : evidence.gateway().captured()) {
      if (payment.order().startsWith("order_" + product + "_")) {
        payment(product, payment, books);
      }
    }
    for (Said said : evidence.journal().of(Act.CANCEL)) {
      Books.Order order = books.orders().get(said.key());
      if (said.sale().equals(product) && said.ok() && order != null) {
        boolean paid = order.status().equals("paid") || order.status().equals("refunded");
        // Late money may buy again what was cancelled; without any it stays cancelled.
        boolean late = !order.payment().isEmpty();
        tally.that(I9, !paid || late, "%s was cancelled and is %s", order.id(), order.status());
      }
    }
  }

  private void payment(String product, Gateway.Payment payment, Books books) {
    Books.Order order = books.orders().get(payment.order());
    if (order == null && evidence.robbed(product)) {
      tally.excuse(I10);
      return;
    }
    boolean kept =
        order != null && order.status().equals("paid") && order.payment().equals(payment.id());
    Books.Refund refund = books.refunds().get(payment.id());
    Set<String> moved = evidence.gateway().refundsOf(payment.id());
    boolean back = refund != null && refund.state().equals("done") && moved.size() == 1;
    tally.that(
        I10,
        kept ? refund == null && moved.isEmpty() : back,
        "%s (%s): %s; refund %s, given back under %s",
        payment.id(),
        payment.way(),
        order,
        refund,
        moved);
  }

  /// Messages of those who do not know the secret, and of orders that are not there: a gateway that
  /// heard "yes" would never tell again.
  void refused() {
    refused(Act.FORGED, UNAUTHORIZED);
    refused(Act.EARLY, NOT_FOUND);
  }

  private void refused(Act act, int status) {
    for (Said said : evidence.journal().of(act)) {
      if (!said.answer().unknown() && said.answer().status() < 500) {
        tally.that(I10, said.answer().status() == status, "a message (%s): %s", act, said.answer());
      }
    }
  }
}
