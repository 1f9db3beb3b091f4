package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.report.ProofPage;
import fairgate.prove.report.ProofResult;
import fairgate.prove.report.ProofTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What a run shows, and what it says of it.
class ProofResultTest {
  private static final String REASON = "The fault kafka-down did not happen: 9 tries in 120 s";

  private static ProofResult result(long broken, String... reasons) {
    List<String> examples = broken > 0 ? List.of("7: 4 sold of 3") : List.of();
    return new ProofResult(
        "./fairgate prove --seed 1",
        new ProofResult.Numbers(1, 2, "one Redis", 60, 1, 1, 1, 1),
        Map.of(),
        Map.of(Invariant.I2, new InvariantResults.InvariantResult(10, 0, broken, examples)),
        List.of(),
        List.of(),
        List.of(reasons));
  }

  @Test
  void aRunInWhichEverythingHeldExitsWithZero() {
    assertThat(result(0).verdict().exitCode()).isZero();
    assertThat(ProofTable.text(result(0))).contains("Everything held.");
  }

  @Test
  void aRunThatDidNotComeToItsEndIsInconclusiveAndSaysWhy() {
    assertThat(result(0, REASON).verdict().exitCode()).isEqualTo(3);
    assertThat(ProofTable.text(result(0, REASON)))
        .contains("Inconclusive", REASON, "To repeat it: ./fairgate prove --seed 1")
        .doesNotContain("FAILED", "Everything held");
    assertThat(ProofPage.html(result(0, REASON), "today"))
        .contains("Inconclusive", REASON)
        .doesNotContain("FAILED", "Everything held");
  }

  @Test
  void anInvariantThatDidNotHoldIsAFailureWhateverElseHappened() {
    assertThat(result(1, REASON).verdict().exitCode()).isEqualTo(1);
    assertThat(ProofTable.text(result(1, REASON))).contains("FAILED", "4 sold of 3", REASON);
    assertThat(ProofPage.html(result(1, REASON), "today")).contains("FAILED", REASON);
  }
}
