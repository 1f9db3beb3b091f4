package fairgate.draw.leaf;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// A leaf of the house log about the draw of a waiting room's order (docs/api/room-draw-format.md).
public sealed interface RoomLeaf {
  /// How the order follows from the seed: `fairgate.kernel.TicketOrder`.
  String ORDER = "swap-or-not-90/1";

  String room();

  /// The epoch of the room when its tickets were sealed.
  long epoch();

  byte[] data();

  default Hash hash() {
    return Merkle.leafHash(data());
  }

  /// The announcement of a draw: its tickets, which are 0 to `tickets` - 1, and the beacon round
  /// that will decide.
  ///
  /// @param quorum number of witnesses that must cosign; 0 if nobody must
  record Seal(
      String room,
      long epoch,
      long tickets,
      BeaconRound beacon,
      int quorum,
      List<VerifierKey> witnesses)
      implements RoomLeaf {
    static final String TYPE = "fairgate-room-seal/1";

    public Seal {
      witnesses = List.copyOf(witnesses);
    }

    @Override
    public byte[] data() {
      String named = witnesses.stream().map(key -> " " + key.text()).collect(Collectors.joining());
      String line = quorum == 0 ? "" : "witnesses " + quorum + named + "\n";
      return StrictText.bytes(
          "%s\nroom %s\nepoch %d\ntickets %d\norder %s\nbeacon %s\n%s"
              .formatted(TYPE, room, epoch, tickets, ORDER, beacon, line));
    }
  }

  /// The beacon that decided, and the seed of the order.
  ///
  /// @param seal leaf hash of the announcement
  @SuppressWarnings("ArrayRecordComponent") // Leaves are compared by their data.
  record Result(String room, long epoch, Hash seal, BeaconRound beacon, byte[] signature, Hash seed)
      implements RoomLeaf {
    static final String TYPE = "fairgate-room-result/1";
    private static final byte[] LABEL = StrictText.bytes("fairgate-room-seed/1\n");

    /// The result of a draw.
    ///
    /// @param signature of the seal's beacon round
    public static Result of(Seal seal, byte[] signature) {
      return new Result(
          seal.room(),
          seal.epoch(),
          seal.hash(),
          seal.beacon(),
          signature,
          seed(seal.hash(), signature));
    }

    /// The seed of the order.
    ///
    /// @param seal leaf hash of the announcement
    public static Hash seed(Hash seal, byte[] signature) {
      return Hash.ofParts(LABEL, seal.bytes(), Hash.ofParts(signature).bytes());
    }

    @Override
    public byte[] data() {
      return StrictText.bytes(
          "%s\nroom %s\nepoch %d\nseal %s\nbeacon %s\nsignature %s\nseed %s\n"
              .formatted(
                  TYPE,
                  room,
                  epoch,
                  seal.base64(),
                  beacon,
                  Base64.getEncoder().encodeToString(signature),
                  seed.base64()));
    }
  }

  /// Whether the data claims to be a leaf of a room's draw.
  static boolean isOne(byte[] data) {
    return startsWith(data, Seal.TYPE) || startsWith(data, Result.TYPE);
  }

  private static boolean startsWith(byte[] data, String type) {
    byte[] start = StrictText.bytes(type);
    return data.length >= start.length
        && Arrays.equals(start, 0, start.length, data, 0, start.length);
  }

  /// Parses the data of a leaf. Empty if it is malformed, or no leaf of a room's draw.
  static Optional<RoomLeaf> parse(byte[] data) {
    return StrictText.utf8(data)
        .flatMap(StrictText::lines)
        .flatMap(RoomLeaf::parse)
        .filter(leaf -> Arrays.equals(leaf.data(), data));
  }

  private static Optional<RoomLeaf> parse(List<String> lines) {
    LeafFields in = new LeafFields(lines);
    String room = in.text("room", LeafFields.DRAW);
    long epoch = in.number("epoch");
    Optional<RoomLeaf> leaf =
        switch (lines.getFirst()) {
          case Seal.TYPE -> Optional.of(seal(room, epoch, in));
          case Result.TYPE ->
              Optional.of(
                  new Result(
                      room,
                      epoch,
                      in.hash("seal"),
                      in.beacon(),
                      in.bytes("signature", HouseLeaf.Beacon.SIGNATURE_LENGTH),
                      in.hash("seed")));
          default -> Optional.empty();
        };
    return leaf.filter(_ -> in.isComplete());
  }

  private static Seal seal(String room, long epoch, LeafFields in) {
    long tickets = in.number("tickets");
    String order = in.text("order", LeafFields.LINE);
    BeaconRound beacon = in.beacon();
    if (!order.equals(ORDER) || tickets == 0 || tickets > Integer.MAX_VALUE) {
      in.refuse();
    }
    if (!in.has("witnesses")) {
      return new Seal(room, epoch, tickets, beacon, 0, List.of());
    }
    List<String> named = List.of(in.text("witnesses", LeafFields.WITNESSES).split(" ", -1));
    List<VerifierKey> keys =
        named.stream()
            .skip(1)
            .flatMap(text -> VerifierKey.parse(text, VerifierKey.Type.COSIGNATURE).stream())
            .distinct()
            .toList();
    int quorum = (int) StrictText.number(named.getFirst()).orElse(0);
    if (keys.size() != named.size() - 1 || quorum < 1 || quorum > keys.size()) {
      in.refuse();
    }
    return new Seal(room, epoch, tickets, beacon, quorum, keys);
  }
}
