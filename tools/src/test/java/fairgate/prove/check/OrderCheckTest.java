package fairgate.prove.check;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.NodePorts;
import fairgate.platform.http.Loops;
import fairgate.prove.environment.RunLog;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The life of an order of which Redis forgot a step that arrived in the ledger later.
class OrderCheckTest {
  private static final String SALE = "18";
  private static final String ID = "order_18_1";

  private final Vertx vertx = Loops.vertx(1);
  private final RunLog runLog = new RunLog();
  private final InvariantResults tally = new InvariantResults();
  private Gateway gateway;

  @BeforeEach
  void open() throws Exception {
    gateway = Gateway.open(vertx, new NodePorts(List.of(1)), new Journal(), "whsec_AAEC");
  }

  @AfterEach
  void close() throws Exception {
    gateway.close();
    var _ = vertx.close().await(60, TimeUnit.SECONDS);
  }

  private static LedgerSnapshot.Event event(
      long epoch, long seq, String kind, String status, int version) {
    return new LedgerSnapshot.Event(epoch, seq, kind, ID, status, version, 1, seq, "");
  }

  /// Reserved and expired in epoch 2; the relay held the second event while Redis forgot it, and
  /// the payment came in epoch 3.
  private List<Invariant> broken(boolean robbed) {
    if (robbed) {
      lose(Set.of());
    }
    LedgerSnapshot ledger =
        new LedgerSnapshot(
            Map.of(ID, new LedgerSnapshot.Order(ID, "s", "u", "d", 1, 100, "paid", 2, "p")),
            List.of(
                event(2, 1, "reserved", "pending", 1),
                event(2, 2, "released", "expired", 2),
                event(3, 1, "confirmed", "paid", 2)),
            List.of(),
            List.of(),
            new LedgerSnapshot.Totals(1, 0, 1, 1),
            new LedgerSnapshot.Rules(0, 0, 0, 0, 0),
            0,
            List.of());
    RedisSnapshot redisSnapshot =
        new RedisSnapshot(
            0,
            Map.of("epoch", "3", "seq", "1"),
            Map.of(ID, Map.of("status", "paid", "version", "2")),
            Map.of(),
            List.of(),
            List.of());
    return broken(ledger, redisSnapshot);
  }

  /// Redis lost all that the ledger did not know, in epoch 2.
  private void lose(Set<String> known) {
    runLog.loss(new RunLog.Loss(0, 1, known, Map.of(SALE, 2L), SALE::equals, SALE::equals));
  }

  private List<Invariant> broken(LedgerSnapshot ledger, RedisSnapshot redisSnapshot) {
    Evidence evidence = new Evidence(List.of(SALE), new Journal(), gateway, runLog);
    new OrderCheck(evidence, tally).check(SALE, ledger, redisSnapshot);
    return tally.verdicts().entrySet().stream()
        .filter(one -> one.getValue().broken() > 0)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void aStepThatRedisForgotIsExcusedAndTheLaterEpochCounts() {
    assertThat(broken(true)).as(tally.verdicts().toString()).isEmpty();
  }

  /// The sale was rebuilt in epoch 3 without the order and sold its unit again; then the order
  /// came.
  private List<Invariant> withARefusedEntry(Set<String> known) {
    lose(known);
    LedgerSnapshot ledger =
        new LedgerSnapshot(
            Map.of(ID, new LedgerSnapshot.Order(ID, "s", "u", "d", 1, 100, "paid", 1, "p")),
            List.of(event(2, 1, "reserved", "paid", 1)),
            List.of(),
            List.of(),
            new LedgerSnapshot.Totals(1, 0, 1, 1),
            new LedgerSnapshot.Rules(0, 0, 0, 0, 0),
            0,
            List.of(
                new LedgerSnapshot.DeadLetter(3, 1, "order_18_2", "sale_totals_never_oversold")));
    RedisSnapshot redisSnapshot =
        new RedisSnapshot(
            0,
            Map.of("epoch", "4", "seq", "0"),
            Map.of(ID, Map.of("status", "paid", "version", "1")),
            Map.of(),
            List.of(),
            List.of());
    return broken(ledger, redisSnapshot);
  }

  @Test
  void anEntryThatIsRefusedBecauseALateOrderHasItsUnitIsExcused() {
    assertThat(withARefusedEntry(Set.of())).as(tally.verdicts().toString()).isEmpty();
  }

  @Test
  void aRefusedEntryIsAFaultWhereNoOrderWasLate() {
    assertThat(withARefusedEntry(Set.of(ID))).contains(Invariant.I11);
  }

  @Test
  void twoStepsOfOneVersionAreAFaultWhereRedisForgotNothing() {
    assertThat(broken(false)).contains(Invariant.I9);
  }
}
