package fairgate.draw.lots;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.DrawVectors;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.lots.FairnessTests.ChiSquare;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictText;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class DrawOrderTest {
  private final DrawVectors vectors = new DrawVectors();

  private static Hash seed(int trial) {
    return Hash.ofParts(StrictText.bytes("trial " + trial));
  }

  private static HashList leaves(int size) {
    return HashList.of(
        IntStream.range(0, size)
            .mapToObj(i -> Merkle.leafHash(StrictText.bytes("entry " + i)))
            .toList());
  }

  private static DrawOrder order(Hash seed, HashList leaves) {
    return DrawOrder.of(seed, leaves, _ -> 0);
  }

  private static List<Integer> indexes(DrawOrder order) {
    return IntStream.range(0, order.size()).mapToObj(order::indexAt).toList();
  }

  @Test
  void seedLotsOrderAndResultAreThoseOfTheVectors() {
    String signature = vectors.beacon("signature");
    Hash randomness = BeaconChain.randomness(HexFormat.of().parseHex(signature));
    Hash seed = Lots.seed(vectors.hash("seal_leaf"), randomness);
    assertThat(seed).isEqualTo(vectors.hash("seed"));
    DrawOrder order = order(seed, vectors.leaves());
    for (int i = 0; i < 8; i++) {
      assertThat(order.lot(i)).isEqualTo(vectors.hashes("lot").get(i));
    }
    assertThat(indexes(order)).isEqualTo(vectors.numbers("order"));
    assertThat(HexFormat.of().formatHex(order.resultLeaf(0)))
        .isEqualTo(vectors.text("result_leaf_0_data"));
    assertThat(order.resultRoot()).isEqualTo(vectors.hash("result_root"));
    assertThat(DrawOrder.auditSample(seed, vectors.leaves(), 2))
        .isEqualTo(vectors.numbers("audit_sample"));
    int[] seats = SeatShuffle.of(seed, StrictText.bytes(vectors.text("seats_label")), 10);
    assertThat(Arrays.stream(seats).boxed().toList())
        .isEqualTo(vectors.numbers("seats_shuffle_10"));
  }

  @Test
  void tiersComeBeforeLots() {
    DrawOrder order = DrawOrder.of(seed(1), leaves(100), i -> 9 - i % 10);
    for (int rank = 0; rank < 100; rank++) {
      assertThat(9 - order.indexAt(rank) % 10).isEqualTo(rank / 10);
    }
  }

  @Test
  void equalEntriesHaveEqualLotsAndKeepTheirOrder() {
    Hash leaf = Merkle.leafHash(StrictText.bytes("the same"));
    DrawOrder order = order(seed(1), HashList.of(List.of(leaf, leaf, leaf)));
    assertThat(order.lot(0)).isEqualTo(order.lot(2));
    assertThat(indexes(order)).containsExactly(0, 1, 2);
  }

  @Property(tries = 100)
  void everyEntryHasOneRankAndAnotherEntryMovesNobody(
      @ForAll @IntRange(max = 300) int size, @ForAll int trial) {
    DrawOrder order = order(seed(trial), leaves(size));
    assertThat(indexes(order)).doesNotHaveDuplicates().hasSize(size);
    int[] ranks = order.ranks();
    for (int rank = 0; rank < size; rank++) {
      assertThat(ranks[order.indexAt(rank)]).isEqualTo(rank);
    }
    List<Integer> withMore = indexes(order(seed(trial), leaves(size + 1)));
    assertThat(withMore.stream().filter(i -> i < size)).isEqualTo(indexes(order));
  }

  /// The places of two entries together, over 12,000 fixed seeds: a construction that gives each
  /// entry its fair chance may still move neighbours together.
  @Test
  void thePlacesOfTwoEntriesAreIndependent() {
    for (int size : new int[] {2, 3, 12, 16}) {
      HashList leaves = leaves(size);
      long[][] places = new long[size][size];
      for (int trial = 0; trial < 12_000; trial++) {
        int[] ranks = order(seed(trial), leaves).ranks();
        places[ranks[0]][ranks[1]]++;
      }
      assertThat(Math.abs(jointDeviation(places))).as("%d entries", size).isLessThan(4);
    }
  }

  /// The chi-square of all pairs of different places, as a number of standard deviations.
  private static double jointDeviation(long[][] places) {
    int cells = places.length * (places.length - 1);
    double expected = 12_000.0 / cells;
    double statistic = 0;
    for (int i = 0; i < places.length; i++) {
      assertThat(places[i][i]).isZero();
      for (int j = 0; j < places.length; j++) {
        statistic += i == j ? 0 : Math.pow(places[i][j] - expected, 2) / expected;
      }
    }
    return cells == 1 ? 0 : new ChiSquare(statistic, cells - 1).z();
  }

  @Test
  void theDistributionTestsPassAFairOrder() {
    for (int trial = 0; trial < 5; trial++) {
      FairnessTests tests =
          FairnessTests.of(order(seed(trial), leaves(20_000)).ranks()).orElseThrow();
      assertThat(tests.groups()).isEqualTo(10);
      assertThat(tests.marginal().degreesOfFreedom()).isEqualTo(81);
      assertThat(tests.marginal().z()).isLessThan(4);
      assertThat(tests.joint().z()).isLessThan(4);
    }
  }

  /// As in the US visa lottery of 2011, where most winners had entered on the first two days.
  @Test
  void theDistributionTestsShowAnOrderThatFavoursEarlyEntries() {
    int[] ranks = order(seed(1), leaves(20_000)).ranks();
    int[] biased = new int[ranks.length];
    List<Integer> byWeight =
        IntStream.range(0, ranks.length)
            .boxed()
            .sorted((a, b) -> Double.compare(ranks[a] + a * 0.2, ranks[b] + b * 0.2))
            .toList();
    for (int rank = 0; rank < biased.length; rank++) {
      biased[byWeight.get(rank)] = rank;
    }
    assertThat(FairnessTests.of(biased).orElseThrow().marginal().z()).isGreaterThan(10);
  }

  /// Everybody's own chance is fair here; only neighbours are moved together.
  @Test
  void theDistributionTestsShowNeighboursThatStayTogether() {
    int[] pairs = order(seed(2), leaves(10_000)).ranks();
    int[] ranks = new int[20_000];
    for (int i = 0; i < pairs.length; i++) {
      ranks[2 * i] = 2 * pairs[i];
      ranks[2 * i + 1] = 2 * pairs[i] + 1;
    }
    assertThat(FairnessTests.of(ranks).orElseThrow().joint().z()).isGreaterThan(10);
  }

  @Test
  void smallDrawsHaveNoDistributionTests() {
    assertThat(FairnessTests.of(order(seed(1), leaves(99)).ranks())).isEmpty();
    assertThat(FairnessTests.of(order(seed(1), leaves(100)).ranks()).orElseThrow().groups())
        .isEqualTo(2);
  }

  @Test
  void numbersAboveTheLastMultipleAreSkipped() {
    // 2^64 mod 10 is 6: the last six numbers of 64 bits would favour 0 to 5.
    assertThat(SeatShuffle.isInExcess(-7, 6)).isFalse();
    assertThat(SeatShuffle.isInExcess(-6, 6)).isTrue();
    assertThat(SeatShuffle.isInExcess(-1, 6)).isTrue();
    assertThat(SeatShuffle.isInExcess(-1, 0)).isFalse();
  }

  @Test
  void everySeatIsEquallyLikely() {
    long[][] table = new long[7][7];
    for (int trial = 0; trial < 7_000; trial++) {
      int[] places = SeatShuffle.of(seed(trial), StrictText.bytes("row"), 7);
      for (int i = 0; i < 7; i++) {
        table[i][places[i]]++;
      }
    }
    assertThat(ChiSquare.of(table).z()).isLessThan(4);
  }
}
