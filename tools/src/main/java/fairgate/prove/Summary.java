package fairgate.prove;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.PaymentCase;
import fairgate.crowd.proof.RecordedCall;
import fairgate.prove.check.Evidence;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.report.ProofResult;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Puts a proof's result together.
final class Summary {
  private static final int CONFLICT = 422;

  private final ProofPlan plan;
  private final Evidence evidence;
  private final long begun;

  Summary(ProofPlan plan, Evidence evidence, long begun) {
    this.plan = plan;
    this.evidence = evidence;
    this.begun = begun;
  }

  ProofResult result(
      String command, Map<String, Integer> hits, InvariantResults tally, List<String> reasons) {
    List<RecordedCall> accepts =
        evidence.journal().of(CallType.PURCHASE).stream().filter(RecordedCall::ok).toList();
    return new ProofResult(
        command,
        new ProofResult.Numbers(
            plan.seed(),
            plan.nodes(),
            plan.on(),
            (System.nanoTime() - begun) / 1_000_000_000,
            evidence.products().size(),
            evidence.journal().size(),
            accepts.size(),
            (int) accepts.stream().map(RecordedCall::order).distinct().count()),
        faults(hits),
        tally.verdicts(),
        accepts.stream().map(call -> millis(call.got())).toList(),
        evidence.runLog().events().stream()
            .map(event -> new ProofResult.Moment(millis(event.at()), event.fault(), event.text()))
            .toList(),
        List.copyOf(reasons));
  }

  private long millis(long nanos) {
    return (nanos - begun) / 1_000_000;
  }

  private Map<String, Integer> faults(Map<String, Integer> hits) {
    Map<String, Integer> all = new LinkedHashMap<>(hits);
    List<RecordedCall> purchases = evidence.journal().of(CallType.PURCHASE);
    Map<String, Integer> keys = new HashMap<>();
    purchases.forEach(call -> keys.merge(call.key(), 1, Integer::sum));
    all.put(
        "purchases sent again with the same key",
        keys.values().stream().mapToInt(times -> times - 1).sum());
    all.put(
        "keys used for another request",
        (int) purchases.stream().filter(call -> call.answer().status() == CONFLICT).count());
    all.put(
        "answers that never came",
        (int) evidence.journal().stream().filter(call -> call.answer().unknown()).count());
    all.put("orders cancelled", evidence.journal().of(CallType.CANCEL).size());
    all.put("refunds by the operator", granted(CallType.OPERATOR_REFUND));
    all.put("refunds of parts by the operator", granted(CallType.OPERATOR_PART));
    all.put("orders cancelled by the operator", granted(CallType.OPERATOR_CANCEL));
    for (PaymentCase paymentCase : PaymentCase.values()) {
      all.put("payments " + paymentCase.title(), (int) payments(paymentCase));
    }
    return all;
  }

  private int granted(CallType act) {
    return (int) evidence.journal().of(act).stream().filter(RecordedCall::ok).count();
  }

  private long payments(PaymentCase paymentCase) {
    return paymentCase == PaymentCase.FORGED
        ? evidence.journal().of(CallType.FORGED).size()
        : evidence.gateway().captured().stream()
            .map(Gateway.Payment::paymentCase)
            .filter(paymentCase::equals)
            .count();
  }
}
