package fairgate.draw.leaf;

import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictText;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Parses leaves of the house log.
final class HouseLeafParser {
  private static final Merkle.Head NONE = new Merkle.Head(0, Merkle.EMPTY);

  private HouseLeafParser() {}

  static Optional<HouseLeaf> parse(byte[] data) {
    if (DrawRules.isLeaf(data)) {
      return DrawRules.parseLeaf(data).map(HouseLeaf.Rules::new);
    }
    if (!startsWithOwnType(data)) {
      return Optional.of(new HouseLeaf.Other(data));
    }
    Optional<List<String>> lines = StrictText.utf8(data).flatMap(StrictText::lines);
    return lines
        .flatMap(each -> parse(data, each))
        .filter(leaf -> Arrays.equals(leaf.data(), data));
  }

  /// Whether the first line is one of the types of draws. With CRLF it is one of them, but
  /// malformed.
  private static boolean startsWithOwnType(byte[] data) {
    int end = 0;
    while (end < data.length && data[end] != '\n') {
      end++;
    }
    String type = StrictText.utf8(Arrays.copyOf(data, end)).orElse("");
    return switch (type.endsWith("\r") ? type.substring(0, type.length() - 1) : type) {
      case "fairgate-rules/1",
          "fairgate-head/1",
          "fairgate-seal/1",
          "fairgate-beacon/1",
          "fairgate-exclude/1",
          "fairgate-withdraw/1",
          "fairgate-result/1",
          "fairgate-pass/1",
          "fairgate-abort/1",
          "fairgate-report/1" ->
          true;
      default -> false;
    };
  }

  private static Optional<HouseLeaf> parse(byte[] data, List<String> lines) {
    LeafFields in = new LeafFields(lines);
    String draw = in.text("draw", LeafFields.DRAW);
    HouseLeaf leaf =
        switch (lines.getFirst()) {
          case "fairgate-head/1" -> new HouseLeaf.TreeHead(draw, head(in));
          case "fairgate-seal/1" -> seal(draw, in);
          case "fairgate-beacon/1" ->
              new HouseLeaf.Beacon(
                  draw, in.beacon(), in.bytes("signature", HouseLeaf.Beacon.SIGNATURE_LENGTH));
          case "fairgate-exclude/1" -> new HouseLeaf.Exclude(draw, entry(in), reason(in));
          case "fairgate-withdraw/1" -> new HouseLeaf.Withdraw(draw, entry(in), reason(in));
          case "fairgate-result/1" ->
              new HouseLeaf.Result(draw, in.hash("seal"), in.beacon(), head(in));
          case "fairgate-pass/1" ->
              new HouseLeaf.Pass(
                  draw, in.number("rank"), in.hash("entry"), in.number("units"), reason(in));
          case "fairgate-abort/1" ->
              new HouseLeaf.Abort(
                  draw,
                  in.has("round") ? OptionalLong.of(in.number("round")) : OptionalLong.empty(),
                  reason(in));
          case "fairgate-report/1" -> report(draw, in);
          default -> new HouseLeaf.Other(data);
        };
    return in.isComplete() ? Optional.of(leaf) : Optional.empty();
  }

  private static HouseLeaf seal(String draw, LeafFields in) {
    Hash rules = in.hash("rules");
    Merkle.Head head = head(in);
    BeaconRound beacon = in.beacon();
    Merkle.Head excluded = in.has("excluded") ? in.numbered("excluded") : NONE;
    return new HouseLeaf.Seal(draw, rules, head, beacon, excluded);
  }

  private static HouseLeaf report(String draw, LeafFields in) {
    Hash result = in.hash("result");
    AllocationReport report =
        new AllocationReport(
            in.number("stock"),
            in.number("holdbacks"),
            in.number("issued"),
            in.number("passed"),
            in.number("unsold"));
    return new HouseLeaf.Report(draw, result, report, in.numbered("allotments"));
  }

  private static Merkle.Head head(LeafFields in) {
    return new Merkle.Head(in.number("size"), in.hash("root"));
  }

  private static EntryRef entry(LeafFields in) {
    Merkle.Head numbered = in.numbered("entry");
    return new EntryRef(numbered.size(), numbered.root());
  }

  private static String reason(LeafFields in) {
    return in.text("reason", LeafFields.WORD);
  }
}
