package fairgate.draw;

import fairgate.draw.Draw.LateWarnings;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.lots.DrawOrder;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The course of a draw, step by step. Each step first decides in PostgreSQL, once and for all,
/// then publishes the decision in the logs, and then goes on. Leaves stand in a log once, so a step
/// that is repeated after a crash has the same result. Calls block.
final class DrawCourse {
  private static final Logger LOG = LoggerFactory.getLogger(DrawCourse.class);
  private static final int PAGE = 20_000;
  private static final String NO_QUORUM = "no_quorum";
  private static final String NO_BEACON = "no_beacon";

  /// Time after the last round that the rules name until the draw fails without one.
  private static final Duration BEACON_WAIT = Duration.ofDays(7);

  /// Time between the signatures of witnesses below the seal and the beacon's round.
  private static final long WITNESS_SECONDS = 60;

  private final DrawFeature.Stores stores;
  private final DrawKeys keys;
  private final HouseProofs proofs;
  private final DrawAllocation allocation;
  private final Duration patience;
  private final Clock clock;

  private final LateWarnings warnings = new LateWarnings();

  /// Sizes of the entries trees whose heads this node has published last.
  private final Map<String, Long> publishedSizes = new ConcurrentHashMap<>();

  /// @param patience time after a beacon round before its fallback round decides
  DrawCourse(
      DrawFeature.Stores stores,
      DrawKeys keys,
      HouseProofs proofs,
      DrawAllocation allocation,
      Duration patience,
      Clock clock) {
    this.stores = stores;
    this.keys = keys;
    this.proofs = proofs;
    this.allocation = allocation;
    this.patience = patience;
    this.clock = clock;
  }

  /// Moves the draw as far as it can go now.
  ///
  /// @param rounds those of this pass
  void run(String id, BeaconSources.Rounds rounds) {
    Draw draw = stores.draws().find(id).orElseThrow();
    while (step(draw, rounds)) {
      Draw next = stores.draws().find(id).orElseThrow();
      if (next.state() != draw.state()) {
        LOG.info("Draw moved on; draw={} state={}", id, next.state().word());
      }
      draw = next;
    }
  }

  /// Whether a further step can follow at once.
  private boolean step(Draw draw, BeaconSources.Rounds rounds) {
    return switch (draw.state()) {
      case ANNOUNCED -> announce(draw);
      case OPEN -> collect(draw);
      case SEALING -> seal(draw);
      case SEALED -> decide(draw, rounds);
      case DRAWN -> move(draw, Draw.State.ALLOCATING);
      case ALLOCATING -> allocate(draw);
      case ENDED -> false;
      case ABORTED -> publishAbort(draw);
    };
  }

  private long now() {
    return clock.millis() / 1000;
  }

  private boolean move(Draw draw, Draw.State next) {
    return stores.draws().step(draw.id(), draw.state(), next);
  }

  private boolean abort(Draw draw, String reason) {
    LOG.error("Draw aborted; draw={} reason={}", draw.id(), reason);
    return stores.draws().fail(draw.id(), reason);
  }

  private long publish(HouseLeaf leaf) {
    return stores.logs().append(keys.houseOrigin(), leaf.data()).await();
  }

  /// The rules become public, and entries open when witnesses have confirmed that in time.
  private boolean announce(Draw draw) {
    if (draw.rulesProof().isEmpty()) {
      long index = publish(new HouseLeaf.Rules(draw.rules()));
      proofs.proof(draw, index).ifPresent(proof -> stores.draws().keepRulesProof(draw.id(), proof));
    }
    Draw fresh = stores.draws().find(draw.id()).orElseThrow();
    long open = draw.rules().open().orElse(0);
    if (now() < open) {
      return false;
    }
    if (fresh.rulesProof().isEmpty()) {
      return draw.rules().quorum() > 0 && abort(draw, NO_QUORUM);
    }
    return move(draw, Draw.State.OPEN);
  }

  private boolean collect(Draw draw) {
    publishAbsences(draw);
    Merkle.Head head = stores.logs().head(keys.entriesOrigin(draw.id()));
    Long published = publishedSizes.put(draw.id(), head.size());
    if (published == null || published != head.size()) {
      long _ = publish(new HouseLeaf.TreeHead(draw.id(), head));
    }
    return now() >= draw.rules().close() && move(draw, Draw.State.SEALING);
  }

  private void publishAbsences(Draw draw) {
    List<PostgresEntries.Absence> some = stores.entries().unlogged(draw.id());
    while (!some.isEmpty()) {
      for (PostgresEntries.Absence one : some) {
        boolean isWithdrawn = one.kind().equals("withdrawn");
        long _ = publish(isWithdrawn ? withdraw(draw, one) : exclude(draw, one));
      }
      stores
          .entries()
          .logged(draw.id(), some.stream().map(PostgresEntries.Absence::index).toList());
      some = stores.entries().unlogged(draw.id());
    }
  }

  private static HouseLeaf withdraw(Draw draw, PostgresEntries.Absence one) {
    return new HouseLeaf.Withdraw(draw.id(), new EntryRef(one.index(), one.leaf()), one.reason());
  }

  private static HouseLeaf exclude(Draw draw, PostgresEntries.Absence one) {
    return new HouseLeaf.Exclude(draw.id(), new EntryRef(one.index(), one.leaf()), one.reason());
  }

  /// No entry is added any more: the commit of the state `sealing` waited for all that were under
  /// way.
  private boolean seal(Draw draw) {
    if (draw.seal().isEmpty()) {
      publishAbsences(draw);
      HouseLeaf.Seal seal =
          new HouseLeaf.Seal(
              draw.id(),
              draw.rules().hash(),
              stores.logs().head(keys.entriesOrigin(draw.id())),
              draw.rules().beacon(),
              excluded(draw));
      stores.draws().seal(draw.id(), seal.data());
      return true;
    }
    HouseLeaf.Seal seal = draw.seal().get();
    boolean isPublic = !stores.logs().indexesOf(keys.houseOrigin(), List.of(seal.hash())).isEmpty();
    if (!isPublic && isLate(draw)) {
      return abort(draw, Draw.LATE_SEAL);
    }
    long _ = publish(seal);
    stores.logs().publish();
    if (!isPublic && isLate(draw)) {
      // PostgreSQL was slow. Verifiers want the proof of every seal in the log.
      keepProof(draw, seal);
      return abort(draw, Draw.LATE_SEAL);
    }
    return move(draw, Draw.State.SEALED);
  }

  private void keepProof(Draw draw, HouseLeaf.Seal seal) {
    proofs
        .proof(draw, publish(seal))
        .ifPresent(proof -> stores.draws().keepSealProof(draw.id(), proof));
  }

  private boolean isLate(Draw draw) {
    return now() > draw.rules().sealBy();
  }

  /// The number and the root of the exclude leaves of a draw, in the order of the house log.
  private Merkle.Head excluded(Draw draw) {
    List<Hash> leaves =
        stores.entries().excluded(draw.id()).stream().map(it -> exclude(draw, it).hash()).toList();
    MerkleBuilder tree = new MerkleBuilder();
    stores.logs().indexesOf(keys.houseOrigin(), leaves).entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(leaf -> tree.add(leaf.getKey()));
    return tree.head();
  }

  private boolean decide(Draw draw, BeaconSources.Rounds rounds) {
    HouseLeaf.Seal seal = draw.seal().orElseThrow();
    if (draw.sealProof().isEmpty()) {
      keepProof(draw, seal);
    }
    if (draw.beacon().isPresent()) {
      return decide(draw, seal, draw.beacon().get());
    }
    if (isUnwitnessed(draw)) {
      return abort(draw, NO_QUORUM);
    }
    long roundTime = draw.decidesAt();
    Optional<byte[]> signature =
        now() < roundTime
            ? Optional.empty()
            : rounds.signature(draw.beaconRound(), draw.decidingChain());
    if (signature.isPresent()) {
      return keepBeacon(draw, signature.get());
    }
    draw.lateSince(now()).ifPresent(since -> warn(draw, since, now()));
    if (now() < roundTime + patience.toSeconds()) {
      return false;
    }
    return giveUp(draw) || (now() >= roundTime + BEACON_WAIT.toSeconds() && abort(draw, NO_BEACON));
  }

  private void warn(Draw draw, long since, long now) {
    if (warnings.isDue(draw.id(), since, now)) {
      LOG.warn(
          "A draw waits for its beacon round; draw={} round={} due={} waiting_for={} s",
          draw.id(),
          draw.beaconRound().round(),
          Instant.ofEpochSecond(draw.decidesAt()),
          now - since);
    }
  }

  /// Whether the time is over in which witnesses had to sign the seal. Verifiers accept no seal
  /// that they signed later.
  private boolean isUnwitnessed(Draw draw) {
    long deadline = draw.chain().timeOf(draw.rules().beacon().round()) - WITNESS_SECONDS;
    return draw.rules().quorum() > 0
        && now() > deadline
        && stores.draws().find(draw.id()).orElseThrow().sealProof().isEmpty();
  }

  /// Decides the beacon. The caller has verified the signature of the draw's round.
  ///
  /// @return false if another beacon was decided, or another round decides
  boolean keepBeacon(Draw draw, byte[] signature) {
    HouseLeaf.Beacon leaf = new HouseLeaf.Beacon(draw.id(), draw.beaconRound(), signature);
    return stores.draws().beacon(draw, leaf.data());
  }

  /// The next fallback round decides, after them the second beacon, with the same seal. Without
  /// one, the draw waits.
  private boolean giveUp(Draw draw) {
    if (draw.isSecond()) {
      return false;
    }
    Optional<Long> fallback =
        draw.rules().fallbackRounds().stream().filter(round -> round > draw.round()).findFirst();
    if (fallback.isPresent()) {
      return stores.draws().nextRound(draw.id(), draw.round(), fallback.get());
    }
    return draw.rules().secondBeacon().isPresent()
        && stores.draws().useSecond(draw.id(), draw.round());
  }

  private boolean decide(Draw draw, HouseLeaf.Seal seal, HouseLeaf.Beacon beacon) {
    if (stores.draws().find(draw.id()).orElseThrow().sealProof().isEmpty()) {
      return isUnwitnessed(draw) && abort(draw, NO_QUORUM);
    }
    Hash seed = Lots.seed(seal.hash(), BeaconChain.randomness(beacon.signature()));
    DrawOrder order = DrawOrder.of(seed, leaves(draw, seal.head().size()), _ -> 0);
    stores.results().add(draw.id(), order);
    HouseLeaf.Result result =
        new HouseLeaf.Result(
            draw.id(),
            seal.hash(),
            beacon.round(),
            new Merkle.Head(order.size(), order.resultRoot()));
    stores.draws().result(draw.id(), result.data());
    List<HouseLeaf> leaves = new ArrayList<>(givenUp(draw, beacon.round()));
    leaves.add(beacon);
    leaves.add(result);
    // Together, and after what the files are made from: whoever reads the log finds the files.
    List<Long> _ =
        stores.logs().append(keys.houseOrigin(), leaves.stream().map(HouseLeaf::data).toList());
    stores.logs().publish();
    return move(draw, Draw.State.DRAWN);
  }

  /// The rounds that did not decide, for the log before the beacon that does.
  private static List<HouseLeaf> givenUp(Draw draw, BeaconRound decided) {
    boolean isSecond = draw.rules().secondBeacon().filter(decided::equals).isPresent();
    return LongStream.concat(
            LongStream.of(draw.rules().beacon().round()),
            draw.rules().fallbackRounds().stream().mapToLong(round -> round))
        .filter(round -> isSecond || round < decided.round())
        .mapToObj(
            round -> (HouseLeaf) new HouseLeaf.Abort(draw.id(), OptionalLong.of(round), NO_BEACON))
        .toList();
  }

  private HashList leaves(Draw draw, long size) {
    HashList leaves = new HashList();
    while (leaves.size() < size) {
      int most = (int) Math.min(PAGE, size - leaves.size());
      stores
          .logs()
          .leafHashes(keys.entriesOrigin(draw.id()), leaves.size(), most)
          .forEach(leaves::add);
    }
    return leaves;
  }

  private boolean allocate(Draw draw) {
    if (draw.report().isEmpty()) {
      if (!allocation.pass(draw)) {
        return false;
      }
      DrawAllocation.Account account = allocation.account(draw);
      stores.draws().report(draw.id(), account.leaf().data(), account.lines());
      return true;
    }
    long _ = publish(draw.report().get());
    stores.logs().publish();
    return move(draw, Draw.State.ENDED);
  }

  private boolean publishAbort(Draw draw) {
    long _ =
        publish(
            new HouseLeaf.Abort(draw.id(), OptionalLong.empty(), draw.abortReason().orElseThrow()));
    return false;
  }

  /// Proofs of leaves of the house log that the witnesses of a draw have cosigned.
  @FunctionalInterface
  interface HouseProofs {
    /// The `.tlog-proof` file of the leaf at an index of the house log, against a checkpoint with
    /// the quorum of the draw's rules. Empty while there is none. Blocks.
    Optional<String> proof(Draw draw, long index);
  }
}
