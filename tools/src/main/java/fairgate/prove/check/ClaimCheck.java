package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I17;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Compares the returned redemption codes with the database.
final class ClaimCheck {
  private static final String CLAIMS =
      "SELECT r.order_id, r.device_id, c.last4, c.state, count(*) OVER (PARTITION BY r.code_id) AS owners"
          + " FROM order_redemptions r JOIN redemption_codes c ON c.id = r.code_id"
          + " WHERE r.platform = 'fairgate' AND r.product_id = ?";
  private static final String SPARE =
      "SELECT count(*) FROM redemption_codes c WHERE c.product_id = ? AND c.state <> 'available'"
          + " AND NOT EXISTS (SELECT 1 FROM order_redemptions r WHERE r.code_id = c.id)";

  private final Evidence evidence;
  private final InvariantResults tally;

  /// The order of each returned code, over all sales.
  private final Map<String, String> codes = new HashMap<>();

  ClaimCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(Connection sql, String product) throws SQLException {
    Map<String, LedgerSnapshot.Row> claims = new HashMap<>();
    for (LedgerSnapshot.Row row : LedgerSnapshot.rows(sql, CLAIMS, product)) {
      boolean first = claims.put(row.text("order_id"), row) == null;
      boolean alone = row.number("owners") == 1;
      tally.that(I17, first && alone, "order %s has %s", row.text("order_id"), row);
    }
    if (!claims.isEmpty()) {
      long spare = LedgerSnapshot.rows(sql, SPARE, product).getFirst().first();
      tally.that(I17, spare == 0, "%d codes of %s were given out to nobody", spare, product);
    }
    Map<String, String> byOrder = new HashMap<>();
    for (RecordedCall call : answers(product)) {
      answer(call, claims.get(call.key()), byOrder);
    }
  }

  private List<RecordedCall> answers(String product) {
    return evidence.journal().of(CallType.CLAIM).stream()
        .filter(call -> call.sale().equals(product) && call.ok())
        .toList();
  }

  /// The recipient of a code is the one in the database; no other caller got another code for the
  /// order, or the same code for another order.
  private void answer(
      RecordedCall call, LedgerSnapshot.@Nullable Row claim, Map<String, String> byOrder) {
    String code = call.answer().body().path("data").path("code").asText();
    String same = byOrder.putIfAbsent(call.key(), code);
    String other = codes.putIfAbsent(code, call.key());
    boolean matches =
        claim != null
            && claim.text("device_id").equals(call.who())
            && code.endsWith(claim.text("last4"));
    boolean holds =
        matches
            && (same == null || same.equals(code))
            && (other == null || other.equals(call.key()));
    tally.that(
        I17,
        holds,
        "%s was given %s for %s; the database has %s, others were given %s, and the code is of %s",
        call.who(),
        code,
        call.key(),
        claim,
        same,
        other);
  }
}
