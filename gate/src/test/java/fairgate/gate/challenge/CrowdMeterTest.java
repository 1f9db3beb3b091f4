package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.join;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.Altcha.CrowdMeter;
import fairgate.gate.challenge.AltchaConfig.CostLevel;
import fairgate.kernel.ChallengeResult;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CrowdMeterTest {
  private static final List<CostLevel> LEVELS = List.of(new CostLevel(10, 2), new CostLevel(20, 8));

  private final GateFixture gate = new GateFixture();
  private final CrowdMeter meter = new CrowdMeter(LEVELS, gate.clock);

  @AfterEach
  void close() {
    gate.close();
  }

  private static AltchaConfig config(List<CostLevel> crowd, List<CostLevel> network) {
    return new AltchaConfig("SHA-256", 3, "00", Duration.ofMinutes(10), crowd, network, 64);
  }

  private List<Integer> next(int count) {
    return IntStream.range(0, count).mapToObj(_ -> meter.next()).toList();
  }

  @Test
  void theCostRisesWithTheRate() {
    assertThat(next(10)).containsOnly(1);
    assertThat(next(10)).containsOnly(2);
    assertThat(next(100)).containsOnly(8);
  }

  @Test
  void theCostFallsWithinTwoSeconds() {
    assertThat(next(30)).endsWith(8);
    gate.clock.advance(Duration.ofSeconds(1));
    assertThat(meter.next()).isEqualTo(8);
    gate.clock.advance(Duration.ofMillis(500));
    assertThat(meter.next()).isEqualTo(2);
    gate.clock.advance(Duration.ofMillis(400));
    assertThat(meter.next()).isEqualTo(1);
    gate.clock.advance(Duration.ofSeconds(2));
    assertThat(next(10)).containsOnly(1);
  }

  @Test
  void aClockStepBackResetsTheRate() {
    assertThat(next(30)).endsWith(8);
    gate.clock.advance(Duration.ofSeconds(-5));
    assertThat(meter.next()).isEqualTo(1);
  }

  @Test
  void withoutLevelsTheCostIsConstant() {
    CrowdMeter flat = new CrowdMeter(List.of(), gate.clock);
    assertThat(IntStream.range(0, 10_000).map(_ -> flat.next())).containsOnly(1);
  }

  @Test
  void aChallengeFetchedEarlierKeepsItsCostAndStaysValid() {
    AltchaConfig config = config(LEVELS, List.of());
    try (Altcha altcha = gate.altcha(config)) {
      String early = altcha.offer(join());
      for (int i = 0; i < 30; i++) {
        assertThat(altcha.offer(join())).isNotEmpty();
      }
      String late = altcha.offer(join());
      assertThat(Solver.parse(early).get("parameters").get("cost").asInt()).isEqualTo(3);
      assertThat(Solver.parse(late).get("parameters").get("cost").asInt()).isEqualTo(24);
      for (String challenge : List.of(early, late)) {
        assertThat(GateFixture.verdict(altcha.verify(Solver.solve(challenge), join())))
            .isInstanceOf(ChallengeResult.Accepted.class);
      }
    }
  }

  @Test
  void levelsMustRise() {
    for (List<CostLevel> wrong :
        List.of(
            List.of(new CostLevel(0, 2)),
            List.of(new CostLevel(10, 0)),
            List.of(new CostLevel(10, 65)),
            List.of(new CostLevel(10, 4), new CostLevel(10, 8)),
            List.of(new CostLevel(10, 4), new CostLevel(20, 2)))) {
      assertThat(config(wrong, List.of()).problems()).as(wrong.toString()).hasSize(1);
      assertThat(config(List.of(), wrong).problems()).as(wrong.toString()).hasSize(1);
    }
    assertThat(AltchaConfig.defaults().problems()).isEmpty();
  }
}
