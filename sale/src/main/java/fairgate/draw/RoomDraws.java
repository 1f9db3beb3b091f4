package fairgate.draw;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.draw.Draw.LateWarnings;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.store.DrawLogs;
import fairgate.kernel.OrderDraws;
import fairgate.platform.run.PeriodicJob;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Draws the orders of waiting rooms: announces each draw in the house log, waits for the beacon
/// round, and publishes the result. All nodes do this. Each step is decided once in PostgreSQL,
/// together with its leaf, so a step that is repeated after a crash has the same result.
public final class RoomDraws implements OrderDraws, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoomDraws.class);

  /// Verifiers want the cosignatures of an announcement this long before its round.
  private static final long WITNESS_SECONDS = 60;

  private static final Duration ASKED_AGAIN = Duration.ofMinutes(1);
  private static final long MAX_ROOMS = 10_000;

  private final PostgresRoomDraws store;
  private final DrawLogs logs;
  private final Proofs proofs;
  private final BeaconSources sources;
  private final AtomicBoolean isAwaitingWitnesses;
  private final Clock clock;
  private final PeriodicJob announcing;
  private final PeriodicJob job;

  /// The draws that rooms of this node have asked for and that this node does not know yet, by
  /// room.
  private final Map<String, Sealed> asked = new ConcurrentHashMap<>();

  /// The latest draw that each room has asked for, by room.
  private final Map<String, RoomDraw> known = new ConcurrentHashMap<>();

  /// The epochs of the draws that rooms of this node wait for now, by room. A deleted room asks no
  /// more.
  private final Cache<String, Long> wanted =
      Caffeine.newBuilder().maximumSize(MAX_ROOMS).expireAfterWrite(ASKED_AGAIN).build();

  private final LateWarnings warnings = new LateWarnings();
  private volatile long late;

  /// Proofs of leaves of the house log.
  @FunctionalInterface
  interface Proofs {
    /// The `.tlog-proof` file of an announcement. Empty while there is none. Blocks.
    ///
    /// @param index of the leaf
    /// @param until latest time of a cosignature that counts, seconds since 1970
    Optional<String> proof(RoomLeaf.Seal seal, long index, long until);
  }

  /// @param isAwaitingWitnesses is set while a draw waits for cosignatures
  /// @param clock the time of PostgreSQL
  RoomDraws(
      PostgresRoomDraws store,
      DrawLogs logs,
      Proofs proofs,
      BeaconSources sources,
      AtomicBoolean isAwaitingWitnesses,
      Clock clock,
      Duration pass) {
    this.store = store;
    this.logs = logs;
    this.proofs = proofs;
    this.sources = sources;
    this.isAwaitingWitnesses = isAwaitingWitnesses;
    this.clock = clock;
    // Announcements, and rounds from anybody, must not wait for beacons that hang.
    this.announcing = new PeriodicJob("room-draw-announcements", pass, this::announce);
    this.job = new PeriodicJob("room-draws", pass, store.resting(this::finish));
  }

  void start() {
    announcing.start();
    job.start();
  }

  @Override
  public State of(Sealed sealed) {
    wanted.put(sealed.room(), sealed.epoch());
    RoomDraw draw = known.get(sealed.room());
    if (draw != null && draw.seal().epoch() == sealed.epoch()) {
      return draw.state();
    }
    asked.put(sealed.room(), sealed);
    return new State.Announcing();
  }

  @Override
  public Duration margin() {
    return store.margin();
  }

  /// Seconds for which the round of a draw that a room waits for is overdue; 0 for none.
  long lateSeconds() {
    return late;
  }

  /// Moves all draws now. Blocks.
  void pass() {
    announce();
    boolean _ = finish();
  }

  private void announce() {
    List<Sealed> fresh = List.copyOf(asked.values());
    for (Sealed sealed : fresh) {
      RoomDraw draw = store.announce(sealed);
      if (known.put(sealed.room(), draw) == null) {
        LOG.info(
            "The draw of a room is announced; room={} epoch={} tickets={} round={}",
            sealed.room(),
            sealed.epoch(),
            draw.seal().tickets(),
            draw.seal().beacon().round());
      }
      asked.remove(sealed.room(), sealed);
    }
    if (!fresh.isEmpty()) {
      logs.publish();
    }
    refresh();
  }

  private boolean finish() {
    boolean isAwaiting = false;
    long latest = 0;
    BeaconSources.Rounds rounds = sources.rounds();
    List<RoomDraw> draws =
        store.unfinished().stream().sorted(Comparator.comparing(draw -> !isWanted(draw))).toList();
    for (RoomDraw draw : draws) {
      if (job.isStopping()) {
        return true;
      }
      isAwaiting |= awaitProof(draw);
      if (draw.result().isEmpty()
          && now() >= draw.drawsAt()
          && !decide(draw, rounds)
          && isWanted(draw)) {
        latest = Math.max(latest, now() - draw.drawsAt());
        warn(draw);
      }
    }
    late = latest;
    isAwaitingWitnesses.set(isAwaiting);
    refresh();
    return !draws.isEmpty();
  }

  /// Other nodes decide draws, too, and rounds from anybody.
  private void refresh() {
    known.replaceAll((_, draw) -> draw.result().isPresent() ? draw : fresh(draw));
  }

  private RoomDraw fresh(RoomDraw draw) {
    return store.find(draw.seal().room(), draw.seal().epoch()).orElse(draw);
  }

  private long now() {
    return clock.millis() / 1000;
  }

  /// Keeps the proof of the announcement. Returns whether it may still come.
  private boolean awaitProof(RoomDraw draw) {
    if (!draw.proof().isEmpty()) {
      return false;
    }
    long until = draw.drawsAt() - WITNESS_SECONDS;
    Optional<String> proof = proofs.proof(draw.seal(), draw.index(), until);
    proof.ifPresent(text -> store.keepProof(draw, text));
    return proof.isEmpty() && now() <= until;
  }

  private boolean isWanted(RoomDraw draw) {
    Long epoch = wanted.getIfPresent(draw.seal().room());
    return epoch != null && epoch == draw.seal().epoch();
  }

  /// Whether the round is there.
  ///
  /// @param rounds those of this pass
  private boolean decide(RoomDraw draw, BeaconSources.Rounds rounds) {
    Optional<byte[]> signature = rounds.signature(draw.seal().beacon(), draw.chain());
    signature.ifPresent(found -> decide(List.of(draw), found));
    return signature.isPresent();
  }

  /// The draws that wait for their rounds, also those that no room waits for any more. Blocks.
  List<RoomDraw> waiting() {
    return store.unfinished().stream().filter(draw -> draw.result().isEmpty()).toList();
  }

  /// Decides draws that wait for the same round. Blocks.
  ///
  /// @param signature the caller has verified it
  void decide(List<RoomDraw> waiting, byte[] signature) {
    for (RoomDraw draw : waiting) {
      store.decide(RoomLeaf.Result.of(draw.seal(), signature));
    }
    if (!waiting.isEmpty()) {
      logs.publish();
    }
  }

  private void warn(RoomDraw draw) {
    long now = now();
    if (warnings.isDue(draw.seal().room() + ' ' + draw.seal().epoch(), draw.drawsAt(), now)) {
      LOG.warn(
          "A room waits for its beacon round; room={} round={} late={} s",
          draw.seal().room(),
          draw.seal().beacon().round(),
          now - draw.drawsAt());
    }
  }

  @Override
  public void close() {
    announcing.close();
    job.close();
  }

  /// The draw of a waiting room's order, as PostgreSQL keeps it.
  ///
  /// @param chainInfo the beacon chain as drand's `/info` describes it; empty for quicknet
  /// @param index of the announcement in the house log
  /// @param proof of the announcement against a checkpoint that the witnesses cosigned in time;
  ///   empty while there is none
  record RoomDraw(
      RoomLeaf.Seal seal,
      String chainInfo,
      long index,
      String proof,
      Optional<RoomLeaf.Result> result) {
    BeaconChain chain() {
      return chainInfo.isEmpty() ? BeaconChain.QUICKNET : Draw.Chains.parse(chainInfo);
    }

    /// When the beacon round comes, seconds since 1970.
    long drawsAt() {
      return chain().timeOf(seal.beacon().round());
    }

    OrderDraws.State state() {
      int tickets = Math.toIntExact(seal.tickets());
      return result
          .<OrderDraws.State>map(
              decided ->
                  new OrderDraws.State.Decided(
                      tickets, HexFormat.of().formatHex(decided.seed().bytes())))
          .orElseGet(() -> new OrderDraws.State.Waiting(tickets, drawsAt()));
    }
  }
}
