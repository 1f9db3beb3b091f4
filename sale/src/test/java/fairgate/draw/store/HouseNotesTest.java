package fairgate.draw.store;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.draw.store.HouseNotes.Step;
import fairgate.draw.tlog.EntryBundle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.audit.AuditLog.ClosedDay;
import fairgate.sale.ledger.LedgerFixture;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HouseNotesTest {
  private static final String ORIGIN = "shop.example/fairgate/log";

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final DrawLogs logs =
      new DrawLogs(
          books.database(), origin -> new SignerKey(origin, VerifierKey.Type.LOG, new byte[32]));
  private final List<ClosedDay> days = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();

  @AfterEach
  void close() {
    logs.close();
    books.close();
  }

  private HouseNotes notes() {
    return new HouseNotes(
        logs,
        ORIGIN,
        new HouseNotes.Sources(
            () -> days, after -> steps.stream().filter(step -> step.id() > after).toList()));
  }

  private List<String> leaves() {
    int size = (int) logs.head(ORIGIN).size();
    byte[] bundle = logs.tile(ORIGIN, new Tile(-1, 0, size)).orElseThrow();
    return EntryBundle.parse(bundle, size).orElseThrow().stream()
        .map(leaf -> StrictText.utf8(leaf).orElseThrow())
        .toList();
  }

  @Test
  void daysAndStepsAreLeavesOnceWhoeverWritesThem() {
    logs.create(ORIGIN);
    days.add(new ClosedDay("2026-11-24", 70, "ab".repeat(32)));
    days.add(new ClosedDay("2026-11-23", 3, "00".repeat(32)));
    steps.add(new Step(1, 1, "published", "cd".repeat(32), 1_764_000_000));
    HouseNotes one = notes();
    one.write();
    one.write();
    notes().write();
    steps.add(new Step(3, 2, "activated", "ef".repeat(32), 1_764_000_100));
    one.write();
    // A transaction with a lower id commits later.
    steps.add(1, new Step(2, 2, "published", "ef".repeat(32), 1_764_000_099));
    one.write();
    notes().write();
    assertThat(leaves())
        .containsExactly(
            "fairgate-audit-day/1\nday 2026-11-23\nevents 3\nhead " + "A".repeat(43) + "=\n",
            "fairgate-audit-day/1\nday 2026-11-24\nevents 70\nhead " + "q6ur".repeat(10) + "q6s=\n",
            "fairgate-policy/1\nstep 1 published\nversion 1\nbundle "
                + "zc3N".repeat(10)
                + "zc0=\nat 1764000000\n",
            "fairgate-policy/1\nstep 3 activated\nversion 2\nbundle "
                + "7+/v".repeat(10)
                + "7+8=\nat 1764000100\n",
            "fairgate-policy/1\nstep 2 published\nversion 2\nbundle "
                + "7+/v".repeat(10)
                + "7+8=\nat 1764000099\n");
  }
}
