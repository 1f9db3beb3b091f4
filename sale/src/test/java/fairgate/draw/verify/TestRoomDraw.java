package fairgate.draw.verify;

import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.json.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/// The public files of a waiting room with a draw, signed with test keys and decided by the test
/// chain; honest, or with one cheat.
public final class TestRoomDraw {
  public static final String ROOM = "tour";
  public static final long TICKET = 5;
  public static final int TICKETS = 300;
  private static final long EPOCH = 7;
  private static final long ROUND = 400;

  /// A cheat, and the code with which verifiers refuse it.
  public enum Kind {
    HONEST(VerdictCode.OK),
    UNWITNESSED(VerdictCode.OK),
    WAITING(VerdictCode.OK),
    JUST_PAST(VerdictCode.OK),
    WITHHELD(VerdictCode.WITHHELD),
    WITHHELD_BY_AN_OPEN_ROOM(VerdictCode.WITHHELD),
    WITHHELD_BY_A_DELETED_ROOM(VerdictCode.WITHHELD),
    ANNOUNCED_AGAIN(VerdictCode.OK),
    REPLACED(VerdictCode.OK),
    NEVER_ANNOUNCED(VerdictCode.NOT_ANNOUNCED),
    HIDDEN(VerdictCode.MISSING_FILE),
    SECOND_SEAL(VerdictCode.SECOND_SEAL),
    LATE_SEAL(VerdictCode.LATE_SEAL),
    NO_PROOF(VerdictCode.NO_QUORUM),
    ONE_WITNESS(VerdictCode.NO_QUORUM),
    OTHER_PROOF(VerdictCode.BAD_PROOF),
    OTHER_ROUND(VerdictCode.WRONG_ROUND),
    OTHER_SEAL(VerdictCode.WRONG_ROUND),
    FORGED_BEACON(VerdictCode.FORGED_BEACON),
    CHOSEN_SEED(VerdictCode.WRONG_RESULT_ROOT),
    SECOND_RESULT(VerdictCode.SECOND_RESULT),
    EARLY_RESULT(VerdictCode.SECOND_RESULT),
    OTHER_ORDER(VerdictCode.SWAPPED_LOTS),
    OTHER_NUMBER(VerdictCode.SWAPPED_LOTS),
    BY_ARRIVAL(VerdictCode.NOT_IN_USE),
    BY_ARRIVAL_PAUSED(VerdictCode.NOT_IN_USE),
    BY_ARRIVAL_ENDED(VerdictCode.NOT_IN_USE),
    ORDER_OF_THE_SERVER(VerdictCode.NOT_IN_USE),
    ORDER_OF_AN_EARLIER_EPOCH(VerdictCode.NOT_IN_USE),
    NOT_YET_IN_USE(VerdictCode.OK),
    SWITCHED_OFF(VerdictCode.OK),
    DELETED(VerdictCode.OK),
    FORKED_LOG(VerdictCode.FORKED_LOG),
    MALFORMED_LEAF(VerdictCode.MALFORMED_LEAF),
    /// In JSON, 7.0 is 7.
    EPOCH_WITH_A_POINT(VerdictCode.OK),
    EPOCH_IS_TRUE(VerdictCode.MISSING_FILE),
    HUGE_NUMBER(VerdictCode.MALFORMED_BUNDLE),
    LARGE_NUMBER(VerdictCode.MALFORMED_BUNDLE),
    NUMBER_OF_CHAIN(VerdictCode.MALFORMED_BUNDLE),
    NO_NUMBER(VerdictCode.MALFORMED_BUNDLE),
    HEAD_IS_A_LIST(VerdictCode.MALFORMED_BUNDLE),
    TABS_IN_THE_HEAD(VerdictCode.OK),
    NAME_TWICE_IN_THE_HEAD(VerdictCode.MALFORMED_BUNDLE),
    NAME_TWICE_IN_THE_RECORD(VerdictCode.MALFORMED_BUNDLE),
    NAME_TWICE_IN_THE_CHAIN(VerdictCode.MALFORMED_CHAIN),
    UPPER_CASE_IN_THE_CHAIN(VerdictCode.MALFORMED_CHAIN),
    CHAIN_FROM_1970(VerdictCode.MALFORMED_CHAIN),
    NUMBER_AS_BEACON_ID(VerdictCode.MALFORMED_CHAIN),
    DEEP_HEAD(VerdictCode.MALFORMED_BUNDLE),
    HALF_A_CHARACTER(VerdictCode.MALFORMED_BUNDLE),
    CONTROL_CHARACTER_IN_A_KEY(VerdictCode.MALFORMED_BUNDLE),
    CONTROL_CHARACTER_IN_A_NOTE(VerdictCode.MALFORMED_NOTE),
    TOO_MANY_LEAVES(VerdictCode.MALFORMED_LOG),
    TOO_MANY_TICKETS(VerdictCode.MALFORMED_LEAF),
    FIRST_EPOCH_IS_A_TEXT(VerdictCode.MALFORMED_BUNDLE),
    /// The room was deleted after the draw, and one with its id lets people in.
    OF_AN_EARLIER_ROOM(VerdictCode.OK),
    OF_AN_EARLIER_ROOM_JUST_PAST(VerdictCode.OK);

    private final VerdictCode code;

    Kind(VerdictCode code) {
      this.code = code;
    }

    public VerdictCode code() {
      return code;
    }

    private boolean isDecided() {
      return switch (this) {
        case WAITING, JUST_PAST, OF_AN_EARLIER_ROOM_JUST_PAST -> false;
        default -> code != VerdictCode.WITHHELD;
      };
    }
  }

  private final Kind kind;
  private final long round;
  private final SignerKey logKey = key("shop.example/fairgate/log", VerifierKey.Type.LOG, 1);
  private final List<SignerKey> witnesses =
      IntStream.rangeClosed(1, 3)
          .mapToObj(i -> key("witness.example/w" + i, VerifierKey.Type.COSIGNATURE, 10 + i))
          .toList();
  private final TestLog log = new TestLog(logKey, UnaryOperator.identity());
  private final Map<String, byte[]> files = new TreeMap<>();

  private TestRoomDraw(Kind kind) {
    this.kind = kind;
    long now = System.currentTimeMillis() / 1000;
    this.round =
        switch (kind) {
          case WAITING -> TestChains.FIRST.roundAt(now + 3_600);
          case JUST_PAST, OF_AN_EARLIER_ROOM_JUST_PAST, WITHHELD_BY_AN_OPEN_ROOM ->
              TestChains.FIRST.roundAt(now - 300);
          default -> ROUND;
        };
    log.add(StrictText.bytes("fairgate-audit-day/1\nday 2026-01-01\n"));
    log.add(seal("another-room", EPOCH, TICKETS).data());
    List<JsonText> draws = new ArrayList<>();
    if (is(Kind.ANNOUNCED_AGAIN) || is(Kind.REPLACED)) {
      RoomLeaf.Seal first = seal(ROOM, EPOCH - 1, TICKETS - 1);
      draws.add(listed(first, proof(log.add(first.data()))));
      if (is(Kind.REPLACED)) {
        log.add(RoomLeaf.Result.of(first, TestChains.signature(ROUND)).data());
      }
    }
    RoomLeaf.Seal seal = seal(ROOM, EPOCH, TICKETS);
    if (is(Kind.EARLY_RESULT)) {
      log.add(result(seal).data());
    }
    if (!is(Kind.NEVER_ANNOUNCED)) {
      int index = log.add(seal.data());
      if (!is(Kind.HIDDEN)) {
        draws.add(listed(seal, proof(is(Kind.OTHER_PROOF) ? 0 : index)));
      }
      decide(seal);
    }
    log.add(StrictText.bytes("fairgate-policy/1\n"));
    publish(draws, seal);
  }

  /// The files by their path below the server's address.
  public static Map<String, byte[]> files(Kind kind) {
    return new TestRoomDraw(kind).files;
  }

  private boolean is(Kind other) {
    return kind == other;
  }

  private static SignerKey key(String name, VerifierKey.Type type, int number) {
    return new SignerKey(name, type, Hash.ofParts(StrictText.bytes("test key " + number)).bytes());
  }

  private RoomLeaf.Seal seal(String room, long epoch, int tickets) {
    boolean isWitnessed = !is(Kind.UNWITNESSED);
    return new RoomLeaf.Seal(
        room,
        epoch,
        is(Kind.TOO_MANY_TICKETS) ? 1L << 31 : tickets,
        new BeaconRound(TestChains.hashOf(chain()), round),
        isWitnessed ? 2 : 0,
        isWitnessed ? witnesses.stream().map(SignerKey::verifier).toList() : List.of());
  }

  private byte[] chain() {
    return switch (kind) {
      case CHAIN_FROM_1970 -> TestChains.FROM_1970;
      case NUMBER_AS_BEACON_ID -> TestChains.NUMBER_AS_ID;
      default -> TestChains.INFO;
    };
  }

  private String chainText() {
    String info = StrictText.utf8(chain()).orElseThrow();
    return switch (kind) {
      case NAME_TWICE_IN_THE_CHAIN ->
          info.replace("{\"public_key\"", "{\"period\":9,\"public_key\"");
      case UPPER_CASE_IN_THE_CHAIN -> info.replace("_key\":\"a", "_key\":\"A");
      default -> info;
    };
  }

  private String proof(int index) {
    if (is(Kind.NO_PROOF)) {
      return "";
    }
    long time = TestChains.FIRST.timeOf(round) - (is(Kind.LATE_SEAL) ? 59 : 60);
    int size = log.size();
    String note = log.checkpoint(size, witnesses.subList(0, is(Kind.ONE_WITNESS) ? 1 : 2), time);
    return StrictText.utf8(log.proof(index, size, new byte[0], note)).orElseThrow();
  }

  private JsonText listed(RoomLeaf.Seal seal, String proof) {
    JsonText listed =
        switch (kind) {
          case EPOCH_WITH_A_POINT -> JsonText.object().putRaw("epoch", seal.epoch() + ".0");
          case EPOCH_IS_TRUE -> JsonText.object().put("epoch", true);
          default -> JsonText.object().put("epoch", seal.epoch());
        };
    return is(Kind.NUMBER_OF_CHAIN)
        ? listed.put("chain", 5).put("proof", proof)
        : listed.put("chain", chainText()).put("proof", proof);
  }

  private RoomLeaf.Result result(RoomLeaf.Seal seal) {
    RoomLeaf.Result honest = RoomLeaf.Result.of(seal, TestChains.signature(ROUND));
    Hash other = Hash.ofParts(StrictText.bytes("chosen"));
    return switch (kind) {
      case OTHER_ROUND ->
          copy(
              honest,
              seal.hash(),
              new BeaconRound(TestChains.FIRST.hash(), ROUND + 1),
              TestChains.signature(ROUND + 1),
              honest.seed());
      case OTHER_SEAL -> copy(honest, other, seal.beacon(), honest.signature(), honest.seed());
      case FORGED_BEACON -> RoomLeaf.Result.of(seal, TestChains.signature(ROUND + 1));
      case CHOSEN_SEED -> copy(honest, seal.hash(), seal.beacon(), honest.signature(), other);
      default -> honest;
    };
  }

  private static RoomLeaf.Result copy(
      RoomLeaf.Result from, Hash seal, BeaconRound beacon, byte[] signature, Hash seed) {
    return new RoomLeaf.Result(from.room(), from.epoch(), seal, beacon, signature, seed);
  }

  private void decide(RoomLeaf.Seal seal) {
    if (is(Kind.SECOND_SEAL)) {
      log.add(seal(ROOM, EPOCH, TICKETS + 1).data());
    }
    if (is(Kind.MALFORMED_LEAF)) {
      log.add(StrictText.bytes("fairgate-room-result/1\nroom tour\n"));
    }
    if (kind.isDecided() && !is(Kind.EARLY_RESULT)) {
      log.add(result(seal).data());
    }
    if (is(Kind.SECOND_RESULT)) {
      log.add(
          RoomLeaf.Result.of(seal(ROOM, EPOCH, TICKETS + 1), TestChains.signature(ROUND)).data());
    }
  }

  private void publish(List<JsonText> draws, RoomLeaf.Seal seal) {
    log.write(files, "log/", log.checkpoint(log.size(), List.of(), 0));
    if (is(Kind.FORKED_LOG)) {
      TestLog other = new TestLog(logKey, UnaryOperator.identity());
      for (int i = 0; i < log.size(); i++) {
        other.add(StrictText.bytes("other " + i + "\n"));
      }
      files.put("log/checkpoint", StrictText.bytes(other.checkpoint(other.size(), List.of(), 0)));
    }
    if (is(Kind.TOO_MANY_LEAVES)) {
      Merkle.Head head = new Merkle.Head(1_000_000_000_001L, log.leaf(0));
      files.put("log/checkpoint", StrictText.bytes(log.checkpoint(head, List.of(), 0)));
    }
    if (is(Kind.CONTROL_CHARACTER_IN_A_NOTE)) {
      String note = log.checkpoint(log.size(), List.of(), 0) + "— a\u007f AAAAAAA=\n";
      files.put("log/checkpoint", StrictText.bytes(note));
    }
    files.put("q/tour/draws", StrictText.bytes(record(draws)));
    if (!is(Kind.DELETED) && !is(Kind.WITHHELD_BY_A_DELETED_ROOM)) {
      files.put("q/tour/head", StrictText.bytes(head(seal)));
    }
  }

  private String record(List<JsonText> draws) {
    SignerKey signer =
        is(Kind.CONTROL_CHARACTER_IN_A_KEY)
            ? key("shop.example\u007f/log", VerifierKey.Type.LOG, 1)
            : logKey;
    JsonText record =
        JsonText.object()
            .put("room", ROOM)
            .put("log", signer.verifier().text())
            .putAny("draws", draws);
    String text =
        switch (kind) {
          case OF_AN_EARLIER_ROOM, OF_AN_EARLIER_ROOM_JUST_PAST ->
              record.put("first_epoch", EPOCH + 1).toString();
          case BY_ARRIVAL, WITHHELD_BY_AN_OPEN_ROOM -> record.put("first_epoch", EPOCH).toString();
          case FIRST_EPOCH_IS_A_TEXT -> record.put("first_epoch", "7").toString();
          default -> record.toString();
        };
    return is(Kind.NAME_TWICE_IN_THE_RECORD)
        ? text.replace("{\"room\"", "{\"draws\":[],\"room\"")
        : text;
  }

  private String head(RoomLeaf.Seal seal) {
    String text = headText(seal).toString();
    String number = "\"n\":" + TICKETS;
    return switch (kind) {
      case HUGE_NUMBER -> text.replace(number, "\"n\":1" + "0".repeat(40));
      case LARGE_NUMBER -> text.replace("{", "{\"other\":9007199254740992,");
      case NO_NUMBER -> text.replace(number, "\"n\":NaN");
      case HEAD_IS_A_LIST -> "[]";
      case NAME_TWICE_IN_THE_HEAD -> text.replace("{\"room\"", "{\"phase\":\"off\",\"room\"");
      case DEEP_HEAD ->
          text.replace("{\"room\"", "{\"x\":" + "[".repeat(32) + "]".repeat(32) + ",\"room\"");
      case HALF_A_CHARACTER -> text.replace("{\"room\"", "{\"x\":\"\\ud800\",\"room\"");
      case TABS_IN_THE_HEAD -> text.replace(",", ",\r\n\t");
      default -> text;
    };
  }

  private JsonText headText(RoomLeaf.Seal seal) {
    JsonText head = JsonText.object().put("room", ROOM).put("phase", phase());
    return switch (kind) {
      case BY_ARRIVAL,
          BY_ARRIVAL_PAUSED,
          BY_ARRIVAL_ENDED,
          NOT_YET_IN_USE,
          SWITCHED_OFF,
          WAITING,
          JUST_PAST,
          OF_AN_EARLIER_ROOM,
          OF_AN_EARLIER_ROOM_JUST_PAST,
          WITHHELD ->
          head;
      default -> head.put("drawn", drawn(seal));
    };
  }

  private String phase() {
    return switch (kind) {
      case BY_ARRIVAL_PAUSED -> "paused";
      case BY_ARRIVAL_ENDED -> "ended";
      case NOT_YET_IN_USE, WAITING, JUST_PAST, WITHHELD -> "before";
      case SWITCHED_OFF -> "off";
      default -> "open";
    };
  }

  private JsonText drawn(RoomLeaf.Seal seal) {
    String seed = is(Kind.OTHER_ORDER) ? "00".repeat(32) : result(seal).seed().hex();
    JsonText drawn =
        JsonText.object().put("n", is(Kind.OTHER_NUMBER) ? TICKETS + 1 : TICKETS).put("seed", seed);
    return switch (kind) {
      case ORDER_OF_THE_SERVER -> drawn;
      case ORDER_OF_AN_EARLIER_EPOCH -> drawn.put("epoch", EPOCH - 1);
      default -> drawn.put("epoch", EPOCH);
    };
  }
}
