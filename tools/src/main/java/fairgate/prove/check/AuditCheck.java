package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I20;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Compares the operator's calls with the audit log.
final class AuditCheck {
  private final Evidence evidence;
  private final InvariantResults tally;

  AuditCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  /// Every successful call was recorded before it took effect.
  void check(Connection sql) throws SQLException {
    Map<String, Long> granted = new HashMap<>();
    for (CallType act :
        List.of(
            CallType.ADMIN,
            CallType.CHECK_IN,
            CallType.OPERATOR_REFUND,
            CallType.OPERATOR_PART,
            CallType.OPERATOR_CANCEL)) {
      for (RecordedCall call : evidence.journal().of(act)) {
        if (call.answer().status() / 100 == 2) {
          granted.merge(path(call), 1L, Long::sum);
        }
      }
    }
    for (Map.Entry<String, Long> act : granted.entrySet()) {
      String quoted = "%\"" + act.getKey() + "\"%";
      long noted =
          LedgerSnapshot.rows(
                  sql,
                  "SELECT count(DISTINCT content::jsonb->>'request_id') FROM audit_log"
                      + " WHERE kind = 'admin' AND content LIKE ?",
                  quoted)
              .getFirst()
              .first();
      tally.that(
          I20,
          noted >= act.getValue(),
          "%s was granted %d times and noted %d times",
          act.getKey(),
          act.getValue(),
          noted);
    }
  }

  /// Method and path of an operator's call.
  private static String path(RecordedCall call) {
    return switch (call.act()) {
      case OPERATOR_REFUND, OPERATOR_PART -> "POST /api/admin/orders/" + call.key() + "/refund";
      case OPERATOR_CANCEL -> "POST /api/admin/orders/" + call.key() + "/cancel";
      case CHECK_IN -> "POST /api/admin/products/" + call.sale() + "/check-ins";
      case ADMIN,
          JOIN,
          DEPOSIT,
          STATUS,
          LEAVE,
          REGISTER,
          PURCHASE,
          CANCEL,
          CLAIM,
          CALLBACK,
          EARLY,
          FORGED ->
          call.key();
    };
  }
}
