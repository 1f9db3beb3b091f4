package fairgate.draw.leaf;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictText;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A leaf of the house log.
public sealed interface HouseLeaf {
  /// The id of the draw; empty for leaves that belong to no draw.
  String draw();

  byte[] data();

  default Hash hash() {
    return Merkle.leafHash(data());
  }

  record EntryRef(long index, Hash leaf) {
    @Override
    public String toString() {
      return index + " " + leaf.base64();
    }
  }

  record Rules(DrawRules rules) implements HouseLeaf {
    static final String TYPE = "fairgate-rules/1";

    @Override
    public String draw() {
      return rules.draw();
    }

    @Override
    public byte[] data() {
      return rules.leafData();
    }
  }

  /// The head of the entries tree while a draw is open.
  record TreeHead(String draw, Merkle.Head head) implements HouseLeaf {
    @Override
    public byte[] data() {
      return text("fairgate-head/1", draw, "size " + head.size(), "root " + head.root().base64());
    }
  }

  /// The end of the list: afterwards it cannot change, and the beacon round is fixed.
  ///
  /// @param excluded number and root of the exclude leaves; size 0 if there are none
  record Seal(String draw, Hash rules, Merkle.Head head, BeaconRound beacon, Merkle.Head excluded)
      implements HouseLeaf {
    @Override
    public byte[] data() {
      String[] lines = {
        "rules " + rules.base64(),
        "size " + head.size(),
        "root " + head.root().base64(),
        "beacon " + beacon,
        "excluded " + excluded.size() + " " + excluded.root().base64()
      };
      return text(
          "fairgate-seal/1",
          draw,
          excluded.size() == 0 ? List.of(lines).subList(0, 4) : List.of(lines));
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Leaves are compared by their data.
  record Beacon(String draw, BeaconRound round, byte[] signature) implements HouseLeaf {
    public static final int SIGNATURE_LENGTH = 48;

    @Override
    public byte[] data() {
      return text(
          "fairgate-beacon/1",
          draw,
          "beacon " + round,
          "signature " + Base64.getEncoder().encodeToString(signature));
    }
  }

  record Exclude(String draw, EntryRef entry, String reason) implements HouseLeaf {
    @Override
    public byte[] data() {
      return text("fairgate-exclude/1", draw, "entry " + entry, "reason " + reason);
    }
  }

  record Withdraw(String draw, EntryRef entry, String reason) implements HouseLeaf {
    @Override
    public byte[] data() {
      return text("fairgate-withdraw/1", draw, "entry " + entry, "reason " + reason);
    }
  }

  /// The order of the entries.
  ///
  /// @param seal leaf hash of the seal
  record Result(String draw, Hash seal, BeaconRound beacon, Merkle.Head order)
      implements HouseLeaf {
    @Override
    public byte[] data() {
      return text(
          "fairgate-result/1",
          draw,
          "seal " + seal.base64(),
          "beacon " + beacon,
          "size " + order.size(),
          "root " + order.root().base64());
    }
  }

  /// Units that were passed on to the next entry.
  record Pass(String draw, long rank, Hash entry, long units, String reason) implements HouseLeaf {
    @Override
    public byte[] data() {
      return text(
          "fairgate-pass/1",
          draw,
          "rank " + rank,
          "entry " + entry.base64(),
          "units " + units,
          "reason " + reason);
    }
  }

  /// The end of a draw, or of waiting for a round.
  record Abort(String draw, OptionalLong round, String reason) implements HouseLeaf {
    @Override
    public byte[] data() {
      return round.isPresent()
          ? text("fairgate-abort/1", draw, "round " + round.getAsLong(), "reason " + reason)
          : text("fairgate-abort/1", draw, "reason " + reason);
    }
  }

  /// The end of the allocation.
  ///
  /// @param result leaf hash of the result
  /// @param allotments number and root of the lines of `allotments`
  record Report(String draw, Hash result, AllocationReport report, Merkle.Head allotments)
      implements HouseLeaf {
    @Override
    public byte[] data() {
      return text(
          "fairgate-report/1",
          draw,
          "result " + result.base64(),
          "stock " + report.stock(),
          "holdbacks " + report.holdbacks(),
          "issued " + report.issued(),
          "passed " + report.passed(),
          "unsold " + report.unsold(),
          "allotments " + allotments.size() + " " + allotments.root().base64());
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Leaves are compared by their data.
  record Other(byte[] data) implements HouseLeaf {
    @Override
    public String draw() {
      return "";
    }
  }

  private static byte[] text(String type, String draw, String... lines) {
    return text(type, draw, List.of(lines));
  }

  private static byte[] text(String type, String draw, List<String> lines) {
    return StrictText.bytes(type + "\ndraw " + draw + "\n" + String.join("\n", lines) + "\n");
  }

  /// Parses the data of a leaf. Empty if it has a known type but is malformed.
  static Optional<HouseLeaf> parse(byte[] data) {
    return HouseLeafParser.parse(data);
  }

  /// The account of all units of a draw.
  ///
  /// @param stock units in all
  /// @param holdbacks units that were never in the draw
  /// @param issued units bought by entries for which there were units from the start
  /// @param passed units bought by entries to which others passed them on
  /// @param unsold units that nobody bought
  record AllocationReport(long stock, long holdbacks, long issued, long passed, long unsold) {
    public static AllocationReport of(long stock, long holdbacks, List<Allotment> allotments) {
      long units = stock - holdbacks;
      long offered = 0;
      long issued = 0;
      long passed = 0;
      for (Allotment each : allotments) {
        if (offered + each.units() <= units) {
          issued += each.bought();
        } else {
          passed += each.bought();
        }
        offered += each.units();
      }
      return new AllocationReport(stock, holdbacks, issued, passed, units - issued - passed);
    }

    /// Whether every unit is accounted for exactly once.
    public boolean addsUp() {
      return unsold >= 0 && issued + passed + unsold + holdbacks == stock;
    }
  }
}
