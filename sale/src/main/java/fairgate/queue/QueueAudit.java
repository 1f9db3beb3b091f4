package fairgate.queue;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.HashMap;
import java.util.Map;

/// Writes the queue's audit events: joins, admissions and issued purchase tokens.
record QueueAudit(Audit audit) {
  void joined(ProductId product, Caller caller, JoinOutcome outcome) {
    if (outcome instanceof JoinOutcome.Joined joined) {
      audit.note(event(product, caller, joined, Map.of()));
    }
    if (outcome
        instanceof JoinOutcome.SeatedBehind(JoinOutcome.Joined joined, Seat seat, var why)) {
      Map<String, Object> facts = new HashMap<>();
      facts.put("seat", seat.wire());
      facts.put("decision_id", why.getOrDefault("decision_id", ""));
      audit.note(event(product, caller, joined, facts));
    }
  }

  private static AuditEvent event(
      ProductId product, Caller caller, JoinOutcome.Joined joined, Map<String, Object> further) {
    Map<String, Object> facts = new HashMap<>(further);
    facts.put("product", product.value());
    facts.put("position", joined.position());
    return new AuditEvent(
        AuditEvent.Kind.JOIN, "joined", caller.in(joined.session()), Map.copyOf(facts));
  }

  /// @param caller the request's sender, with the session that is ready
  void issued(ProductId product, Caller caller, String token) {
    audit.note(
        new AuditEvent(
            AuditEvent.Kind.TOKEN,
            "issued",
            caller,
            Map.of("product", product.value(), "token", token)));
  }

  /// Records one pass: the number of admissions, and the sessions that became ready.
  void passed(ProductId product, AdmitScript.Pass pass) {
    if (pass.admitted() > 0) {
      audit.note(
          new AuditEvent(
              AuditEvent.Kind.ADMISSION,
              "admitted",
              Caller.NONE,
              Map.of("product", product.value(), "people", pass.admitted())));
    }
    for (SessionId session : pass.ready()) {
      audit.note(
          new AuditEvent(
              AuditEvent.Kind.TURN,
              "ready",
              Caller.NONE.in(session),
              Map.of("product", product.value())));
    }
  }
}
