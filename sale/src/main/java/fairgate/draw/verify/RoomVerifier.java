package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictJson;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.verify.VerifyRequest.Progress;
import fairgate.kernel.TicketOrder;
import fairgate.platform.json.JsonObject;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Verifies the draw of a waiting room's order from the house log and the room's public record. The
/// checks are in docs/api/room-draw-format.md; the first one that fails decides.
public final class RoomVerifier {
  private static final String PROOF = "proof";
  private static final long WITNESS_SECONDS = 60;

  /// Time after a round until the result must be public if the room lets people in.
  private static final long OPEN_SECONDS = 60;

  /// The phases of a room that has opened.
  private static final Set<String> OPENED = Set.of("open", "paused", "ended");

  private final VerifyRequest request;
  private final String room;
  private final List<RoomLeaf> leaves = new ArrayList<>();
  private Optional<RoomVerdict.Found> found = Optional.empty();

  /// The epoch at the creation of the room; 0 if the record does not tell.
  private long firstEpoch;

  private RoomVerifier(VerifyRequest request, String room) {
    this.request = request;
    this.room = room;
  }

  /// Verifies a draw. Malformed input gives a verdict, never an exception.
  ///
  /// @param request files of the server; receipts, person and depth are not used
  /// @param epoch the draw to verify; empty for the latest one
  /// @param ticket whose place is wanted; one that is not in the draw fails when all else is right
  public static RoomVerdict verify(
      VerifyRequest request, String room, OptionalLong epoch, OptionalLong ticket) {
    RoomVerifier verifier = new RoomVerifier(request, room);
    try {
      verifier.run(epoch, ticket);
      verifier.inDraw(ticket);
      return verifier.verdict(VerdictCode.OK, "");
    } catch (FailedCheck failed) {
      return verifier.verdict(failed.code(), failed.detail());
    } catch (UncheckedIOException unreadable) {
      return verifier.verdict(VerdictCode.UNREACHABLE, String.valueOf(unreadable.getCause()));
    }
  }

  private RoomVerdict verdict(VerdictCode code, String detail) {
    return new RoomVerdict(code, detail, room, seals().map(RoomLeaf::epoch).toList(), found);
  }

  private Stream<RoomLeaf.Seal> seals() {
    return leaves.stream().filter(RoomLeaf.Seal.class::isInstance).map(RoomLeaf.Seal.class::cast);
  }

  private void run(OptionalLong epoch, OptionalLong ticket) {
    JsonObject entry = json("q/" + room + "/draws");
    VerifierKey key =
        VerifierKey.parse(text(entry, "log"), VerifierKey.Type.LOG)
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_BUNDLE, "log"));
    request
        .logKey()
        .ifPresent(known -> unless(known.equals(key), VerdictCode.WRONG_LOG_KEY, key.text()));
    firstEpoch =
        StrictJson.whole(entry.has("first_epoch") ? entry.get("first_epoch") : 0L)
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_BUNDLE, "first_epoch"));
    HashList log = readLog(key);
    unless(seals().findAny().isPresent(), VerdictCode.NOT_ANNOUNCED, room);
    long wanted = epoch.orElse(seals().mapToLong(RoomLeaf::epoch).max().orElse(0));
    List<RoomLeaf.Seal> own = seals().filter(seal -> seal.epoch() == wanted).toList();
    unless(!own.isEmpty(), VerdictCode.MISSING_FILE, "epoch " + wanted);
    unless(own.size() <= 1, VerdictCode.SECOND_SEAL, wanted);
    RoomLeaf.Seal seal = own.getFirst();
    JsonObject listed = listed(entry, wanted);
    String proof = text(listed, PROOF);
    BeaconChain chain = chain(seal, text(listed, "chain"));
    long drawsAt = chain.timeOf(seal.beacon().round());
    found = Optional.of(found(seal, drawsAt, Optional.empty(), OptionalLong.empty()));
    if (seal.quorum() > 0) {
      cosigned(seal, proof, key, log, drawsAt - WITNESS_SECONDS);
    }
    Optional<Hash> seed = result(seal, chain).map(RoomLeaf.Result::seed);
    if (seed.isEmpty()) {
      stillToCome(seal, drawsAt);
      return;
    }
    inUse(seal, seed.get().hex());
    found = Optional.of(found(seal, drawsAt, seed, place(seal, seed.get(), ticket)));
  }

  /// There may be no result before the round, and shortly after it.
  private void stillToCome(RoomLeaf.Seal seal, long drawsAt) {
    boolean isOpen = head().filter(head -> hasOpened(seal, head)).isPresent();
    if (request.isOverdue(drawsAt) || (isOpen && request.isPast(drawsAt + OPEN_SECONDS))) {
      throw VerifyRequest.withheld(drawsAt);
    }
  }

  private RoomVerdict.Found found(
      RoomLeaf.Seal seal, long drawsAt, Optional<Hash> seed, OptionalLong place) {
    return new RoomVerdict.Found(
        seal.epoch(),
        seal.tickets(),
        seal.beacon().round(),
        drawsAt,
        seal.quorum(),
        seal.epoch() < firstEpoch,
        seed,
        place);
  }

  private void inDraw(OptionalLong ticket) {
    if (ticket.isPresent() && found.isPresent()) {
      long last = found.get().tickets() - 1;
      unless(
          isIn(ticket.getAsLong(), last + 1),
          VerdictCode.TICKET_NOT_IN_DRAW,
          ticket.getAsLong() + ", not 0-" + last);
    }
  }

  private static boolean isIn(long ticket, long tickets) {
    return ticket >= 0 && ticket < tickets;
  }

  private static OptionalLong place(RoomLeaf.Seal seal, Hash seed, OptionalLong ticket) {
    return ticket.isEmpty() || !isIn(ticket.getAsLong(), seal.tickets())
        ? OptionalLong.empty()
        : OptionalLong.of(
            new TicketOrder(seed.hex(), Math.toIntExact(seal.tickets())).of(ticket.getAsLong()));
  }

  private HashList readLog(VerifierKey key) {
    LogReader reader = new LogReader(request.files(), "log/", key);
    Checkpoint.Signed checkpoint = reader.checkpoint();
    Merkle.Head head = checkpoint.checkpoint().head();
    HashList hashes = new HashList();
    List<Integer> malformed = new ArrayList<>();
    reader.entries(
        head.size(),
        request.progress(),
        Progress.Part.LOG,
        data -> {
          hashes.add(Merkle.leafHash(data));
          if (RoomLeaf.isOne(data)) {
            Optional<RoomLeaf> leaf = RoomLeaf.parse(data);
            leaf.filter(it -> it.room().equals(room)).ifPresent(leaves::add);
            if (leaf.isEmpty()) {
              malformed.add(hashes.size() - 1);
            }
          }
        });
    unless(Merkle.root(hashes).equals(head.root()), VerdictCode.FORKED_LOG, "log/checkpoint");
    unless(malformed.isEmpty(), VerdictCode.MALFORMED_LEAF, malformed);
    return hashes;
  }

  private BeaconChain chain(RoomLeaf.Seal seal, String info) {
    String named = seal.beacon().chain();
    if (named.equals(BeaconChain.QUICKNET.hash())) {
      return BeaconChain.QUICKNET;
    }
    unless(request.chains().contains(named), VerdictCode.UNKNOWN_BEACON, named);
    return BeaconChain.parse(StrictText.bytes(info))
        .filter(parsed -> parsed.hash().equals(named))
        .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_CHAIN, named));
  }

  /// A quorum of the named witnesses saw the announcement in time.
  private static void cosigned(
      RoomLeaf.Seal seal, String proof, VerifierKey key, HashList log, long deadline) {
    unless(!proof.isEmpty(), VerdictCode.NO_QUORUM, PROOF);
    CosignedHead head =
        CosignedHead.proving(
            seal.hash(),
            StrictText.bytes(proof),
            PROOF,
            new CosignedHead.Signers(key, seal.witnesses(), seal.quorum()));
    head.unlessForked(log);
    head.unlessCosigned(at -> at <= deadline, VerdictCode.LATE_SEAL);
  }

  private Optional<RoomLeaf.Result> result(RoomLeaf.Seal seal, BeaconChain chain) {
    List<RoomLeaf> behind = leaves.subList(leaves.indexOf(seal), leaves.size());
    List<RoomLeaf.Result> all = results(leaves, seal.epoch());
    unless(
        all.size() <= 1 && results(behind, seal.epoch()).size() == all.size(),
        VerdictCode.SECOND_RESULT,
        seal.epoch());
    if (all.isEmpty()) {
      return Optional.empty();
    }
    RoomLeaf.Result result = all.getFirst();
    unless(
        result.beacon().equals(seal.beacon()) && result.seal().equals(seal.hash()),
        VerdictCode.WRONG_ROUND,
        result.beacon());
    unless(
        chain.verifies(seal.beacon().round(), result.signature()),
        VerdictCode.FORGED_BEACON,
        result.beacon());
    unless(
        RoomLeaf.Result.of(seal, result.signature()).seed().equals(result.seed()),
        VerdictCode.WRONG_RESULT_ROOT,
        result.seed().hex());
    return Optional.of(result);
  }

  private static List<RoomLeaf.Result> results(List<RoomLeaf> some, long epoch) {
    return some.stream()
        .filter(RoomLeaf.Result.class::isInstance)
        .map(RoomLeaf.Result.class::cast)
        .filter(result -> result.epoch() == epoch)
        .toList();
  }

  /// What browsers and the door compute with. The latest draw must be in use once the room lets
  /// people in; a room without a head is gone.
  private void inUse(RoomLeaf.Seal seal, String seed) {
    Optional<JsonObject> known = head();
    if (known.isEmpty()) {
      return;
    }
    JsonObject head = known.get();
    if (head.get("drawn") instanceof JsonObject drawn && is(seal.epoch(), drawn.get("epoch"))) {
      boolean isSame = seed.equals(drawn.get("seed")) && is(seal.tickets(), drawn.get("n"));
      unless(isSame, VerdictCode.SWAPPED_LOTS, "head");
      return;
    }
    unless(!hasOpened(seal, head), VerdictCode.NOT_IN_USE, "head");
  }

  /// Empty if the room is gone.
  private Optional<JsonObject> head() {
    return request.files().read("q/" + room + "/head").map(bytes -> parse(bytes, "head"));
  }

  /// Whether the room lets people in after this draw: it is the latest one, and of this room, not
  /// of an earlier one that had its id.
  private boolean hasOpened(RoomLeaf.Seal seal, JsonObject head) {
    return seal.epoch() >= firstEpoch
        && seals().allMatch(other -> other.epoch() <= seal.epoch())
        && head.get("phase") instanceof String phase
        && OPENED.contains(phase);
  }

  private static JsonObject listed(JsonObject entry, long epoch) {
    if (entry.get("draws") instanceof List<?> draws) {
      for (Object one : draws) {
        if (one instanceof JsonObject draw && is(epoch, draw.get("epoch"))) {
          return draw;
        }
      }
    }
    throw new FailedCheck(VerdictCode.MISSING_FILE, "draws");
  }

  private static boolean is(long number, @Nullable Object value) {
    return StrictJson.whole(value).equals(OptionalLong.of(number));
  }

  private JsonObject json(String path) {
    return parse(request.files().need(path), path);
  }

  private static JsonObject parse(byte[] bytes, String path) {
    return StrictJson.object(bytes)
        .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_BUNDLE, path));
  }

  private static String text(JsonObject json, String name) {
    if (json.get(name) instanceof String text) {
      return text;
    }
    throw new FailedCheck(VerdictCode.MALFORMED_BUNDLE, name);
  }

  /// What a verification of a waiting room's draw has found.
  ///
  /// @param announced the epochs with an announcement, in the order of the log; each beyond the
  ///   first is one that the operator must explain
  /// @param draw empty when there is no announcement, or when it could not be read
  public record RoomVerdict(
      VerdictCode code, String detail, String room, List<Long> announced, Optional<Found> draw) {
    public RoomVerdict {
      announced = List.copyOf(announced);
    }

    /// A draw.
    ///
    /// @param drawsAt time of the beacon round, seconds since 1970
    /// @param quorum witnesses that cosigned the announcement at least a minute before the round; 0
    ///   if none had to
    /// @param isOfEarlierRoom whether the room was deleted and created again since
    /// @param seed empty until the round has decided
    /// @param place of the caller's ticket, from 0
    public record Found(
        long epoch,
        long tickets,
        long round,
        long drawsAt,
        int quorum,
        boolean isOfEarlierRoom,
        Optional<Hash> seed,
        OptionalLong place) {}

    /// The warnings in the words of docs/api/draw-format.md.
    public List<String> warnings() {
      List<String> warnings = new ArrayList<>();
      draw.filter(it -> it.quorum() == 0).ifPresent(_ -> warnings.add("no_witness"));
      draw.filter(Found::isOfEarlierRoom).ifPresent(_ -> warnings.add("earlier_room"));
      return List.copyOf(warnings);
    }

    public boolean isOk() {
      return code == VerdictCode.OK;
    }
  }
}
