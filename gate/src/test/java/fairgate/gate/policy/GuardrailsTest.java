package fairgate.gate.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import fairgate.gate.policy.DecisionCounts.CanaryCounts;
import fairgate.gate.policy.Guardrails.WilsonInterval;
import org.junit.jupiter.api.Test;

class GuardrailsTest {
  private static final Guardrails RAILS = Guardrails.defaults();
  private static final CanaryCounts CALM = new CanaryCounts(10_000, 500, 100, 1_000, 0, 0, 0, 0);

  private static CanaryCounts canary(long challenged, long refused, long slow) {
    return new CanaryCounts(1_000, challenged, refused, 100, 0, slow, 0, 0);
  }

  @Test
  void aCanaryLikeTheActiveVersionGoesOn() {
    assertThat(RAILS.breach(canary(50, 10, 0), CALM)).isEmpty();
    assertThat(RAILS.breach(canary(130, 20, 12), CALM)).isEmpty();
  }

  @Test
  void tooManyChallengesRefusalsOrSlowEvaluationsStopIt() {
    assertThat(RAILS.breach(canary(200, 10, 0), CALM)).contains("challenges");
    assertThat(RAILS.breach(canary(50, 60, 0), CALM)).contains("refusals");
    assertThat(RAILS.breach(canary(50, 10, 30), CALM)).contains("p99");
  }

  @Test
  void aMachineOnWhichBothVersionsAreSlowDoesNotStopIt() {
    CanaryCounts slow = new CanaryCounts(10_000, 500, 100, 1_000, 0, 400, 0, 0);
    assertThat(RAILS.breach(canary(50, 10, 40), slow)).isEmpty();
    assertThat(RAILS.breach(canary(50, 10, 80), slow)).contains("p99");
  }

  @Test
  void fourDecisionsAreTooFewAndFiveRefusalsAreEnough() {
    assertThat(RAILS.breach(new CanaryCounts(4, 0, 4, 0, 0, 0, 0, 0), CALM)).isEmpty();
    assertThat(RAILS.breach(new CanaryCounts(5, 0, 5, 0, 0, 0, 0, 0), CALM)).contains("refusals");
  }

  @Test
  void aRefusedPersonWhoHasPaidBeforeStopsIt() {
    CanaryCounts one = new CanaryCounts(1_000, 0, 0, 100, 1, 0, 0, 0);
    assertThat(RAILS.breach(one, CALM)).contains("paid_refused");
    CanaryCounts oneOfMany = new CanaryCounts(100_000, 0, 0, 50_000, 1, 0, 0, 0);
    assertThat(RAILS.breach(oneOfMany, CALM)).isEmpty();
  }

  @Test
  void wonAppealsStopIt() {
    assertThat(RAILS.breach(new CanaryCounts(1_000, 0, 0, 0, 0, 0, 4, 0), CALM)).isEmpty();
    assertThat(RAILS.breach(new CanaryCounts(1_000, 0, 0, 0, 0, 0, 5, 5), CALM))
        .contains("appeals_won");
    assertThat(RAILS.breach(new CanaryCounts(1_000, 0, 0, 0, 0, 0, 2, 18), CALM)).isEmpty();
  }

  @Test
  void theyAreReadAsTheyWereWritten() {
    assertThat(Guardrails.parse(RAILS.json().toString())).isEqualTo(RAILS);
  }

  /// Values computed with an independent program.
  @Test
  void theIntervalIsThatOfWilson() {
    assertInterval(0, 10, 0, 0.277533);
    assertInterval(5, 10, 0.236593, 0.763407);
    assertInterval(10, 10, 0.722467, 1);
    assertInterval(1, 1_000, 0.000177, 0.005643);
    assertInterval(0, 0, 0, 1);
  }

  private static void assertInterval(long hits, long total, double low, double high) {
    WilsonInterval interval = WilsonInterval.of(hits, total);
    assertThat(interval.low()).isCloseTo(low, within(1e-5));
    assertThat(interval.high()).isCloseTo(high, within(1e-5));
  }
}
