package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I45;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.WaitingListCheck.Entry;
import fairgate.prove.check.WaitingListCheck.Look;
import fairgate.prove.check.WaitingListCheck.Notice;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitingListCheckTest {
  private static final Notice TOLD = new Notice(1, 1_000);
  private static final Notice NOTHING = new Notice(0, 0);

  private final WaitingListCheck check = new WaitingListCheck();

  private void look(long now, Notice notice, Map<String, Double> waiting, String... active) {
    check.look(new Look(now, 1, notice, 5, waiting, Set.of(active)));
  }

  private String verdict(Entry... entries) {
    InvariantResults tally = new InvariantResults();
    check.compare("7", List.of(entries), tally);
    return tally.verdicts().getOrDefault(I45, InvariantResults.InvariantResult.NONE).word();
  }

  private void admits(Notice notice, double since) {
    look(1_100, notice, Map.of("place", since));
    look(1_200, notice, Map.of(), "place");
  }

  @Test
  void aLaterPlaceThatIsAdmittedBeforeTheListIsFound() {
    admits(TOLD, 1_050);
    assertThat(verdict(new Entry(1_000, Long.MAX_VALUE))).isEqualTo("FAILED");
    assertThat(verdict(new Entry(1_000, 1_300))).isEqualTo("FAILED");
  }

  @Test
  void alsoLongAfterTheLastNotice() {
    look(31_100, TOLD, Map.of("place", 1_050.0));
    look(31_200, TOLD, Map.of(), "place");
    assertThat(verdict(new Entry(1_000, 32_000))).isEqualTo("FAILED");
  }

  @Test
  void aLaterPlaceMayFollowTheList() {
    admits(TOLD, 1_050);
    assertThat(verdict(new Entry(1_000, 1_150))).isEqualTo("ok");
  }

  @Test
  void anEarlierPlaceMayBeAdmittedBeforeTheList() {
    admits(TOLD, 999);
    assertThat(verdict(new Entry(1_000, Long.MAX_VALUE))).isEqualTo("ok");
  }

  @Test
  void aQueueThatKnowsNothingOfTheListGoesOn() {
    admits(NOTHING, 1_050);
    assertThat(verdict(new Entry(1_000, Long.MAX_VALUE))).isEqualTo("ok");
  }

  @Test
  void anEarlierPlaceThatStillWaitsAfterAnOfferIsFound() {
    look(1_100, TOLD, Map.of("place", 999.0));
    look(1_200, TOLD, Map.of("place", 999.0));
    assertThat(verdict(new Entry(1_000, 1_150))).isEqualTo("FAILED");
    assertThat(verdict(new Entry(1_000, 1_250))).isEqualTo("ok");
    assertThat(verdict(new Entry(998, 1_150))).isEqualTo("ok");
  }

  @Test
  void aPlaceThatLetOthersGoFirstIsNoEarlierPlace() {
    look(1_100, TOLD, Map.of("place", 999.0));
    look(1_200, TOLD, Map.of("place", 1_150.0));
    assertThat(verdict(new Entry(1_000, 1_150))).isEqualTo("ok");
  }

  @Test
  void aListThatIsServedInAnotherOrderIsFound() {
    assertThat(verdict(new Entry(1_000, 1_300), new Entry(1_001, 1_200))).isEqualTo("FAILED");
    assertThat(verdict(new Entry(1_000, Long.MAX_VALUE), new Entry(1_001, 1_200)))
        .isEqualTo("FAILED");
    assertThat(verdict(new Entry(1_001, 1_200), new Entry(1_000, 1_300))).isEqualTo("ok");
  }
}
