package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.Abort;
import fairgate.draw.leaf.HouseLeaf.Beacon;
import fairgate.draw.leaf.HouseLeaf.Result;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.lots.DrawOrder;
import fairgate.draw.lots.FairnessTests;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.verify.HouseLog.Placed;
import fairgate.draw.verify.VerifyRequest.Progress;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Checks the beacon and the order that follows from it.
record ResultCheck(DrawContext context) {
  /// The beacon leaf of the log, equal to the file `beacon`; empty if there is none yet.
  Optional<Placed<Beacon>> beaconLeaf(HouseLog log, Placed<Seal> seal) {
    Optional<Placed<Beacon>> beacon =
        log.only(Beacon.class, seal.index(), VerdictCode.SECOND_BEACON);
    beacon.ifPresent(
        placed ->
            unless(
                Arrays.equals(context.need("beacon"), placed.leaf().data()),
                VerdictCode.WRONG_BEACON,
                "beacon"));
    return beacon;
  }

  /// The beacon of the file `beacon`; empty if there is none yet.
  Optional<Beacon> beaconFile() {
    return context
        .files()
        .read(context.head().path("beacon"))
        .map(
            data ->
                HouseLeaf.parse(data)
                    .filter(Beacon.class::isInstance)
                    .map(Beacon.class::cast)
                    .filter(beacon -> beacon.draw().equals(context.head().draw()))
                    .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_LEAF, "beacon")));
  }

  /// Checks the round and the signature of a beacon, and returns the seed.
  ///
  /// @param aborts the rounds that were given up before; empty if the log was not read
  Hash beacon(Seal seal, Beacon beacon, Optional<Set<Long>> aborts) {
    DrawRules rules = context.rules();
    BeaconRound round = beacon.round();
    boolean isNamed = round.equals(rules.beacon());
    boolean isSecond = rules.secondBeacon().filter(round::equals).isPresent();
    unless(
        isNamed
            || (isSecond ? areGivenUp(rules.fallbackRounds(), aborts) : isFallback(round, aborts)),
        VerdictCode.WRONG_ROUND,
        round);
    BeaconChain chain = isSecond ? context.second().orElseThrow().chain() : context.chain();
    unless(context.accepts(chain), VerdictCode.UNKNOWN_BEACON, round.chain());
    unless(chain.verifies(round.round(), beacon.signature()), VerdictCode.FORGED_BEACON, round);
    Hash seed = Lots.seed(seal.hash(), BeaconChain.randomness(beacon.signature()));
    context.out().stage(Verdict.Stage.DRAWN);
    context.out().seed(seed);
    context
        .out()
        .found(
            isNamed ? "beacon" : isSecond ? "second_beacon" : "fallback",
            round.round(),
            Instant.ofEpochSecond(chain.timeOf(round.round())),
            rules.beacon().round());
    return seed;
  }

  private boolean isFallback(BeaconRound round, Optional<Set<Long>> aborts) {
    List<Long> fallbacks = context.rules().fallbackRounds();
    int at = fallbacks.indexOf(round.round());
    if (at < 0 || !round.chain().equals(context.rules().beacon().chain())) {
      return false;
    }
    return areGivenUp(fallbacks.subList(0, at), aborts);
  }

  private boolean areGivenUp(List<Long> fallbacks, Optional<Set<Long>> aborts) {
    return aborts.isEmpty()
        || (aborts.get().contains(context.rules().beacon().round())
            && aborts.get().containsAll(fallbacks));
  }

  static Set<Long> abortedRounds(HouseLog log, Placed<Beacon> beacon) {
    Set<Long> rounds = new HashSet<>();
    for (Placed<Abort> each : log.all(Abort.class)) {
      if (each.index() < beacon.index() && each.leaf().round().isPresent()) {
        rounds.add(each.leaf().round().getAsLong());
      }
    }
    return rounds;
  }

  /// Compares the published order with the recomputed one.
  DrawOrder order(
      HouseLog log, Placed<Seal> seal, Placed<Beacon> beacon, EntryList list, Hash seed) {
    HashList leaves = list.leaves();
    Progress progress = context.request().progress();
    progress.at(Progress.Part.LOTS, 0, leaves.size());
    DrawOrder order = DrawOrder.of(seed, leaves, index -> list.entry(index).tier());
    progress.at(Progress.Part.LOTS, leaves.size(), leaves.size());
    compare(context.need("result"), order, leaves);
    Result expected =
        new Result(
            context.head().draw(),
            seal.leaf().hash(),
            beacon.leaf().round(),
            new Merkle.Head(order.size(), order.resultRoot()));
    Optional<Placed<Result>> result =
        log.only(Result.class, beacon.index(), VerdictCode.SECOND_RESULT);
    unless(
        result.isPresent() && Arrays.equals(result.get().leaf().data(), expected.data()),
        VerdictCode.WRONG_RESULT_ROOT,
        expected.order().root().base64());
    context.out().resultRoot(expected.order().root());
    context.out().fairness(FairnessTests.of(order.ranks()));
    context.out().found("order", (long) order.size());
    return order;
  }

  private static void compare(byte[] published, DrawOrder order, HashList leaves) {
    int width = DrawOrder.RESULT_LEAF;
    unless(published.length % width == 0, VerdictCode.MALFORMED_RESULT, published.length);
    int count = published.length / width;
    int rank = 0;
    while (rank < Math.min(count, order.size()) && isEqual(published, rank, order)) {
      rank++;
    }
    if (rank == count && rank == order.size()) {
      return;
    }
    Set<Hash> sealed = new HashSet<>();
    for (int i = 0; i < leaves.size(); i++) {
      sealed.add(leaves.get(i));
    }
    for (int i = rank; i < count; i++) {
      Hash leaf =
          Hash.of(Arrays.copyOfRange(published, (i + 1) * width - Hash.LENGTH, (i + 1) * width));
      unless(sealed.contains(leaf), VerdictCode.ENTRY_AFTER_SEAL, "rank " + i);
    }
    throw new FailedCheck(VerdictCode.SWAPPED_LOTS, "rank " + rank);
  }

  private static boolean isEqual(byte[] published, int rank, DrawOrder order) {
    int from = rank * DrawOrder.RESULT_LEAF;
    byte[] leaf = order.resultLeaf(rank);
    return Arrays.equals(published, from, from + leaf.length, leaf, 0, leaf.length);
  }
}
