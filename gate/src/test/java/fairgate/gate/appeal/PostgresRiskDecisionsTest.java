package fairgate.gate.appeal;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.risk.Explanation;
import fairgate.gate.risk.PublicReason;
import fairgate.gate.risk.Remedy;
import fairgate.platform.postgres.FreshDatabase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresRiskDecisionsTest {
  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
  private static final String BUNDLE = "0".repeat(64);

  private final PostgresRiskDecisions decisions = new PostgresRiskDecisions(BOOKS.database());

  @AfterAll
  static void closeBooks() {
    BOOKS.close();
  }

  @BeforeEach
  void clear() {
    var _ = BOOKS.database().tx(db -> db.update("DELETE FROM risk_decisions"));
  }

  private static void insert(String prefix, int number, String route, String reason) {
    var _ =
        BOOKS
            .database()
            .tx(
                db ->
                    db.update(
                        """
                        INSERT INTO risk_decisions (id, at, route, sale, subject, device, network,
                          bundle, schema, features, score, band, action, reasons, shadow, shadows, applied,
                          degraded, latency_us, told_reason, told_help)
                        SELECT $1 || i, now() - (i / 3) * interval '1 second', $3, '7', 'ann', 'd',
                          'home', $4, 1, '', 60, 'high', 'seat_behind', ARRAY[$5], '{}', '{}', true, false,
                          1, 'history', ARRAY['pay_orders', 'a_newer_word']
                        FROM generate_series(1, $2::int) i
                        """,
                        prefix,
                        number,
                        route,
                        BUNDLE,
                        reason));
  }

  @Test
  void aDecisionOnAClaimMovesNoPlace() {
    insert("claim", 1, "claim", "wrong:60");
    var _ =
        BOOKS
            .database()
            .tx(db -> db.update("UPDATE risk_decisions SET sale = 'basic', action = 'hold'"));
    Set<String> moved = new HashSet<>();
    decisions.seats((sale, decision, behind) -> moved.add(decision));
    decisions.decided("claim1", true);
    decisions.seatBehind("claim1");
    assertThat(moved).isEmpty();
  }

  @Test
  void aLaterRulingReplacesTheOutcomeOfOneThatFailed() {
    insert("join", 1, "join", "wrong:60");
    decisions.decided("join1", true);
    decisions.decided("join1", false);
    assertThat(
            BOOKS
                .database()
                .reading(db -> db.query("SELECT kind FROM risk_outcomes WHERE decision = 'join1'"))
                .stream()
                .map(row -> row.getString("kind")))
        .containsExactly("appeal_lost");
  }

  @Test
  void aDecisionHasWhatThePersonWasTold() {
    insert("join", 1, "join", "wrong:60");
    StoredDecisions.Stored stored = decisions.find("join1").orElseThrow();
    assertThat(stored.told())
        .isEqualTo(new Explanation(PublicReason.HISTORY, List.of(Remedy.PAY_ORDERS)));
    assertThat(stored.origin()).isEqualTo(new StoredDecisions.Origin("7", "d", "ann", "home"));
    var _ =
        BOOKS
            .database()
            .tx(db -> db.update("UPDATE risk_decisions SET told_reason = NULL, told_help = NULL"));
    assertThat(decisions.find("join1").orElseThrow().told()).isEqualTo(Explanation.NONE);
  }
}
