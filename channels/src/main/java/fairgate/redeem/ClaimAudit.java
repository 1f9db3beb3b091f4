package fairgate.redeem;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import java.util.HashMap;
import java.util.Map;

/// Audit events of claims: caller, order and result. The reason is the true one, also with uniform
/// errors. Order numbers appear as keyed hashes, as in the failure log; codes do not appear.
record ClaimAudit(Audit audit) {
  /// @param order keyed hash of the order's number
  void note(ClaimRequest request, String order, ClaimOutcome outcome) {
    switch (outcome) {
      case ClaimOutcome.Claimed claimed ->
          note(request, order, claimed.replayed() ? "replayed" : "claimed", 1);
      case ClaimOutcome.Unavailable _, ClaimOutcome.NoOrderNumber _, ClaimOutcome.Ambiguous _ -> {
        // Nothing was decided.
      }
      case ClaimOutcome.Failed failed -> refused(request, order, failed.refusal().code().name());
    }
  }

  private void refused(ClaimRequest request, String order, String reason) {
    int weight = audit.weight(AuditEvent.Kind.CLAIM, reason);
    if (weight > 0) {
      note(request, order, reason, weight);
    }
  }

  private void note(ClaimRequest request, String order, String what, int weight) {
    Map<String, Object> facts = new HashMap<>();
    facts.put("product", request.productId());
    facts.put("order_hash", order);
    if (weight > 1) {
      facts.put("weight", weight);
    }
    audit.note(new AuditEvent(AuditEvent.Kind.CLAIM, what, request.claimant().caller(), facts));
  }
}
