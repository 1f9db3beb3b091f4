package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.SEVEN;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.Altcha.NetworkMeter;
import fairgate.gate.challenge.AltchaConfig.CostLevel;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ProductId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NetworkMeterTest {
  private static final List<CostLevel> LEVELS = List.of(new CostLevel(5, 2), new CostLevel(10, 4));
  private static final String HOME = "203.0.113.9";

  private final GateFixture gate = new GateFixture();
  private final NetworkMeter meter = new NetworkMeter(LEVELS, gate.clock);

  @AfterEach
  void close() {
    gate.close();
  }

  private void solve(ProductId product, String network, int challenges) {
    for (int i = 0; i < challenges; i++) {
      meter.solved(product, network, gate.ids.nonce());
    }
  }

  private static Altcha altcha(GateFixture gate, int maxFactor, List<CostLevel> crowd) {
    return gate.altcha(
        new AltchaConfig("SHA-256", 3, "00", Duration.ofMinutes(2), crowd, LEVELS, maxFactor));
  }

  private static int cost(Altcha altcha, String address) {
    return Solver.parse(
            altcha.offer(ChallengeProvider.Context.join(SEVEN, address, GateFixture.FRESH)))
        .get("parameters")
        .get("cost")
        .asInt();
  }

  private static void join(Altcha altcha, String address) {
    ChallengeProvider.Context context =
        ChallengeProvider.Context.join(SEVEN, address, GateFixture.FRESH);
    assertThat(verdict(altcha.verify(Solver.solve(altcha.offer(context)), context)))
        .isInstanceOf(ChallengeResult.Accepted.class);
  }

  @Test
  void theFirstSolversOfANetworkPayTheNormalCost() {
    solve(SEVEN, "a", 5);
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(1);
    assertThat(meter.factor(SEVEN, "b")).isEqualTo(1);
  }

  @Test
  void theCostRisesWithTheSolvedChallengesOfTheNetworkForTheProduct() {
    solve(SEVEN, "a", 7);
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(2);
    solve(SEVEN, "a", 8);
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(4);
    solve(SEVEN, "a", 5_000);
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(4);
    assertThat(meter.factor(SEVEN, "b")).isEqualTo(1);
    assertThat(meter.factor(new ProductId("8"), "a")).isEqualTo(1);
  }

  @Test
  void theCostFallsAfterTwentyMinutes() {
    solve(SEVEN, "a", 50);
    gate.clock.advance(Duration.ofMinutes(10));
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(4);
    gate.clock.advance(Duration.ofMinutes(10));
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(1);
  }

  @Test
  void aSolutionSentManyTimesCountsOnce() {
    for (int i = 0; i < 1_000; i++) {
      meter.solved(SEVEN, "a", "the same nonce");
    }
    assertThat(meter.factor(SEVEN, "a")).isEqualTo(1);
  }

  @Test
  void aFullTableLeavesNewNetworksAtTheNormalCost() {
    for (int i = 0; i < NetworkMeter.MAX_NETWORKS; i++) {
      meter.solved(SEVEN, "network " + i, "nonce");
    }
    solve(SEVEN, "new", 50);
    assertThat(meter.factor(SEVEN, "new")).isEqualTo(1);
    solve(SEVEN, "network 1", 50);
    assertThat(meter.factor(SEVEN, "network 1")).isEqualTo(4);
  }

  @Test
  void withoutLevelsNothingIsCounted() {
    NetworkMeter flat = new NetworkMeter(List.of(), gate.clock);
    flat.solved(SEVEN, "a", "nonce");
    assertThat(flat.factor(SEVEN, "a")).isEqualTo(1);
  }

  @Test
  void solvedChallengesRaiseTheCostForTheirNetworkOnly() {
    try (Altcha altcha = altcha(gate, 64, List.of())) {
      for (int i = 0; i < 15; i++) {
        assertThat(cost(altcha, "203.0.113.77")).isLessThanOrEqualTo(3 * 4);
        join(altcha, HOME);
      }
      assertThat(cost(altcha, "203.0.113.77")).isEqualTo(3 * 4);
      assertThat(cost(altcha, "203.0.114.9")).isEqualTo(3);
      join(altcha, HOME);
    }
  }

  @Test
  void fetchedButUnsolvedChallengesCostTheNetworkNothing() {
    try (Altcha altcha = altcha(gate, 64, List.of())) {
      for (int i = 0; i < 100; i++) {
        assertThat(cost(altcha, HOME)).isEqualTo(3);
      }
    }
  }

  @Test
  void crowdAndNetworkTogetherStayBelowTheMaximum() {
    try (Altcha altcha = altcha(gate, 6, List.of(new CostLevel(1, 2)))) {
      for (int i = 0; i < 15; i++) {
        join(altcha, HOME);
      }
      assertThat(cost(altcha, HOME)).isEqualTo(3 * 6);
    }
  }
}
