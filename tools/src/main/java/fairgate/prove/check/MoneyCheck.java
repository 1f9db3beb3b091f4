package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I10;
import static fairgate.prove.check.Invariant.I30;
import static fairgate.prove.check.Invariant.I9;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.RecordedCall;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Compares the gateway's payments and the operator's calls with the ledger of all sales.
final class MoneyCheck {
  private static final int UNAUTHORIZED = 401;
  private static final int NOT_FOUND = 404;

  private final Evidence evidence;
  private final Map<String, LedgerSnapshot> ledger;
  private final InvariantResults tally;

  /// @param ledger of all sales that are judged, by product
  MoneyCheck(Evidence evidence, Map<String, LedgerSnapshot> ledger, InvariantResults tally) {
    this.evidence = evidence;
    this.ledger = ledger;
    this.tally = tally;
  }

  void check() {
    for (Gateway.Payment payment : evidence.gateway().captured()) {
      List<String> orders = evidence.gateway().ordersOf(payment);
      if (!DepositCheck.isDeposit(payment.order())
          && orders.stream().allMatch(order -> ledger.containsKey(product(order)))) {
        payment(payment, orders);
      }
    }
    Map<String, Gateway.Payment> captured =
        evidence.gateway().captured().stream()
            .collect(Collectors.toMap(Gateway.Payment::id, payment -> payment));
    for (CallType act : List.of(CallType.CANCEL, CallType.OPERATOR_CANCEL)) {
      evidence.journal().of(act).stream()
          .filter(RecordedCall::ok)
          .forEach(call -> cancelled(call, captured));
    }
    refunds();
    refused();
  }

  /// The product that an order's id names.
  private static String product(String order) {
    return order.substring("order_".length(), order.lastIndexOf('_'));
  }

  private LedgerSnapshot.@Nullable Order order(String id) {
    LedgerSnapshot of = ledger.get(product(id));
    return of == null ? null : of.orders().get(id);
  }

  private List<LedgerSnapshot.Refund> refunds(String order, Gateway.Payment payment) {
    return Objects.requireNonNull(ledger.get(product(order))).refunds(order, payment.id());
  }

  /// A payment pays at most one of the orders it was reported for. Its money stays with that order
  /// or is refunded once; the other order has a note for a person.
  private void payment(Gateway.Payment payment, List<String> orders) {
    if (orders.stream().anyMatch(id -> hasDataLoss(id, payment))) {
      tally.excuse(I10);
      return;
    }
    List<LedgerSnapshot.Order> holders =
        orders.stream()
            .map(this::order)
            .filter(Objects::nonNull)
            .filter(order -> order.payment().equals(payment.id()))
            .toList();
    tally.that(I10, holders.size() <= 1, "%s pays %s", payment.id(), holders);
    boolean kept = holders.stream().anyMatch(order -> order.status().equals("paid"));
    List<LedgerSnapshot.Refund> refunds =
        orders.stream()
            .flatMap(order -> refunds(order, payment).stream())
            // Reported for another order than the one it pays.
            .filter(refund -> !refund.state().equals("unplaced") || orders.size() == 1)
            .toList();
    returned(payment, refunds, kept);
    if (orders.size() > 1) {
      noted(payment, orders);
    }
  }

  /// What went back of a payment is what the ledger says, each refund once. A paid order keeps the
  /// money except for parts; any other order keeps none.
  private void returned(
      Gateway.Payment payment, List<LedgerSnapshot.Refund> refunds, boolean kept) {
    Set<String> moved = evidence.gateway().refundsOf(payment.id());
    long returned = evidence.gateway().returned(payment.id());
    long noted = refunds.stream().mapToLong(LedgerSnapshot.Refund::amount).sum();
    long rests = refunds.stream().filter(refund -> refund.part().isEmpty()).count();
    // The rest is nothing when all of the payment went back in parts.
    long moves = refunds.stream().filter(refund -> refund.amount() > 0).count();
    boolean alike =
        refunds.stream().allMatch(refund -> refund.state().equals("done"))
            && moved.size() == moves
            && returned == noted;
    tally.that(
        I10,
        alike && (kept ? rests == 0 : rests == 1 && returned == payment.amount()),
        "%s (%s), %s: refunds %s, given back under %s: %d",
        payment.id(),
        payment.paymentCase(),
        kept ? "kept" : "not kept",
        refunds,
        moved,
        returned);
    tally.that(
        I30,
        returned <= payment.amount() && noted <= payment.amount(),
        "%s brought %d; %d went back, and the ledger says %d",
        payment.id(),
        payment.amount(),
        returned,
        noted);
  }

  /// Whether Redis lost the order: it is missing, or was missing when the payment was reported, and
  /// a person must decide.
  private boolean hasDataLoss(String id, Gateway.Payment payment) {
    boolean unknown =
        refunds(id, payment).stream().anyMatch(refund -> refund.cause().equals("unknown_order"));
    return evidence.hasDataLoss(product(id)) && (order(id) == null || unknown);
  }

  /// The gateway stops reporting a payment after a successful reply, so the payment must be in the
  /// ledger by then.
  private void noted(Gateway.Payment payment, List<String> orders) {
    Set<String> heard = new HashSet<>();
    for (RecordedCall call : evidence.journal().of(CallType.CALLBACK)) {
      if (call.ok() && call.session().equals(payment.id())) {
        heard.add(call.key());
      }
    }
    for (String id : orders) {
      LedgerSnapshot.Order order = order(id);
      boolean pays = order != null && order.payment().equals(payment.id());
      tally.that(
          I10,
          !heard.contains(id) || pays || !refunds(id, payment).isEmpty(),
          "%s was heard of %s, and nothing says so",
          payment.id(),
          id);
    }
  }

  /// An order that was cancelled stays so; only late money may buy it again.
  private void cancelled(RecordedCall call, Map<String, Gateway.Payment> captured) {
    LedgerSnapshot.Order order = order(call.key());
    if (order == null) {
      return;
    }
    boolean paid = order.status().equals("paid") || order.status().equals("refunded");
    Gateway.Payment money = captured.get(order.payment());
    boolean late = money != null && evidence.gateway().ordersOf(money).contains(order.id());
    tally.that(
        I9, !paid || late, "%s was cancelled and is %s without money", order.id(), order.status());
    if (evidence.hasDataLoss(product(order.id()))) {
      tally.excuse(I9);
      return;
    }
    boolean noted =
        Objects.requireNonNull(ledger.get(product(order.id()))).events().stream()
            .anyMatch(
                event ->
                    event.order().equals(order.id())
                        && event.kind().equals("released")
                        && event.status().equals("cancelled"));
    tally.that(I9, noted, "%s was cancelled, and no event says so", order.id());
  }

  /// An order that an operator refunded is refunded, and no other one. A call without a reply may
  /// have had an effect or not.
  private void refunds() {
    parts();
    Set<String> called = new HashSet<>();
    for (RecordedCall call : evidence.journal().of(CallType.OPERATOR_REFUND)) {
      called.add(call.key());
      LedgerSnapshot.Order order = order(call.key());
      if (!call.ok() || !ledger.containsKey(product(call.key()))) {
        continue;
      }
      if (evidence.forgotten(call)) {
        tally.excuse(I10);
        continue;
      }
      tally.that(
          I10,
          order != null && order.status().equals("refunded"),
          "%s was refunded by the operator and is %s",
          call.key(),
          order);
    }
    ledger
        .values()
        .forEach(
            book ->
                book.orders().values().stream()
                    .filter(order -> order.status().equals("refunded"))
                    .forEach(
                        order ->
                            tally.that(
                                I10,
                                called.contains(order.id()),
                                "%s is refunded, and nobody asked for it",
                                order.id())));
  }

  /// A part that was granted is in the ledger once, however often it was asked for.
  private void parts() {
    for (RecordedCall call : evidence.journal().of(CallType.OPERATOR_PART)) {
      LedgerSnapshot book = ledger.get(product(call.key()));
      if (!call.ok() || book == null) {
        continue;
      }
      if (evidence.forgotten(call)) {
        tally.excuse(I10);
        continue;
      }
      long parts =
          book.refunds().stream()
              .filter(refund -> refund.order().equals(call.key()) && !refund.part().isEmpty())
              .count();
      tally.that(I10, parts == 1, "a part of %s was granted and noted %d times", call.key(), parts);
    }
  }

  /// Callbacks with a wrong signature, and of unknown orders, must not succeed: the gateway would
  /// stop reporting them.
  private void refused() {
    refused(CallType.FORGED, UNAUTHORIZED);
    refused(CallType.EARLY, NOT_FOUND);
  }

  private void refused(CallType act, int status) {
    for (RecordedCall call : evidence.journal().of(act)) {
      if (!call.answer().unknown() && call.answer().status() < 500) {
        tally.that(I10, call.answer().status() == status, "a message (%s): %s", act, call.answer());
      }
    }
  }
}
