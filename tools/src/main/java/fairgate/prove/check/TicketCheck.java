package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I36;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Compares the check-ins that were answered with each other and with the database.
final class TicketCheck {
  private static final String TICKETS =
      "SELECT id, coalesce(used_scan, '') AS scan FROM tickets WHERE product_id = ?";

  private final Evidence evidence;
  private final InvariantResults tally;

  TicketCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  /// Of all scans of a ticket one was admitted at most, and the database has that one.
  void check(Connection sql, String product) throws SQLException {
    Map<String, Set<String>> admitted = new HashMap<>();
    for (RecordedCall call : evidence.journal().of(CallType.CHECK_IN)) {
      if (call.sale().equals(product)
          && call.ok()
          && call.answer().text("result").equals("admitted")) {
        admitted.computeIfAbsent(call.key(), _ -> new TreeSet<>()).add(call.session());
      }
    }
    if (admitted.isEmpty()) {
      return;
    }
    Map<String, String> kept = new HashMap<>();
    for (LedgerSnapshot.Row row : LedgerSnapshot.rows(sql, TICKETS, product)) {
      kept.put(row.text("id"), row.text("scan"));
    }
    admitted.forEach(
        (ticket, scans) ->
            tally.that(
                I36,
                scans.equals(Set.of(kept.getOrDefault(ticket, ""))),
                "ticket %s of %s was admitted for %s, and the database has %s",
                ticket,
                product,
                scans,
                kept.get(ticket)));
  }
}
