package fairgate.draw.leaf;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.DrawVectors;
import fairgate.draw.leaf.Allotment.Status;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class LeafTest {
  private static final Hash HASH = Hash.ofParts(StrictText.bytes("x"));
  private static final String CHAIN = "ab".repeat(32);
  private static final BeaconRound ROUND = new BeaconRound(CHAIN, 9);
  private static final Merkle.Head HEAD = new Merkle.Head(8, HASH);
  private static final Merkle.Head NONE = new Merkle.Head(0, Merkle.EMPTY);
  private static final EntryRef ENTRY = new EntryRef(3, HASH);

  private final DrawVectors vectors = new DrawVectors();

  private static List<HouseLeaf> leaves() {
    return List.of(
        new HouseLeaf.TreeHead("d", HEAD),
        new HouseLeaf.Seal("d", HASH, HEAD, ROUND, NONE),
        new HouseLeaf.Seal("d", HASH, HEAD, ROUND, new Merkle.Head(2, HASH)),
        new HouseLeaf.Beacon("d", ROUND, new byte[48]),
        new HouseLeaf.Exclude("d", ENTRY, "duplicate"),
        new HouseLeaf.Withdraw("d", ENTRY, "request"),
        new HouseLeaf.Result("d", HASH, ROUND, HEAD),
        new HouseLeaf.Pass("d", 1, HASH, 2, "unpaid"),
        new HouseLeaf.Abort("d", OptionalLong.empty(), "cancelled"),
        new HouseLeaf.Abort("d", OptionalLong.of(9), "silent"),
        new HouseLeaf.Report(
            "d", HASH, new AllocationReport(5, 1, 3, 1, 0), new Merkle.Head(7, HASH)));
  }

  private static HouseLeaf.Seal seal(String text) {
    return (HouseLeaf.Seal) HouseLeaf.parse(StrictText.bytes(text)).orElseThrow();
  }

  @Test
  void theLeavesOfTheVectorsAreReadAndWritten() {
    byte[] entry = StrictText.bytes(vectors.text("entry_0"));
    EntryLeaf leaf = EntryLeaf.parse(entry).orElseThrow();
    assertThat(leaf.data()).isEqualTo(entry);
    assertThat(leaf.who())
        .isEqualTo(EntryLeaf.who(StrictText.bytes("salt0"), StrictText.bytes("person0")));
    HouseLeaf.Seal seal = seal(vectors.text("seal"));
    assertThat(seal.hash()).isEqualTo(vectors.hash("seal_leaf"));
    DrawRules rules = DrawRules.parse(StrictText.bytes(vectors.text("rules_json"))).orElseThrow();
    assertThat(rules.hash()).isEqualTo(vectors.hash("rules_hash")).isEqualTo(seal.rules());
    assertThat(rules.beacon()).isEqualTo(seal.beacon());
    assertThat(rules.units()).isEqualTo(3);
    assertThat(rules.auditSize()).isEqualTo(2);
  }

  @Test
  void everyLeafIsReadAsItWasWritten() {
    for (HouseLeaf leaf : leaves()) {
      HouseLeaf read = HouseLeaf.parse(leaf.data()).orElseThrow();
      assertThat(read).hasSameClassAs(leaf);
      assertThat(read.data()).isEqualTo(leaf.data());
      assertThat(read.draw()).isEqualTo("d");
    }
  }

  @Test
  void leavesOfOtherTypesAreKept() {
    byte[] data = StrictText.bytes("fairgate-audit-day/1\nday 2026-11-24\n");
    assertThat(HouseLeaf.parse(data).orElseThrow()).isInstanceOf(HouseLeaf.Other.class);
    assertThat(HouseLeaf.parse(new byte[0]).orElseThrow()).isInstanceOf(HouseLeaf.Other.class);
  }

  @Property(tries = 1000)
  void aChangedByteMakesAnotherLeafOrNone(
      @ForAll @IntRange(max = 10) int which, @ForAll int at, @ForAll byte change) {
    byte[] data = leaves().get(which).data();
    byte[] changed = data.clone();
    changed[Math.floorMod(at, data.length)] ^= change;
    HouseLeaf.parse(changed).ifPresent(leaf -> assertThat(leaf.data()).isEqualTo(changed));
    EntryLeaf.parse(changed).ifPresent(leaf -> assertThat(leaf.data()).isEqualTo(changed));
  }

  @Test
  void malformedLeavesAreRefused() {
    String good = vectors.text("seal");
    for (String wrong :
        List.of(
            good.strip(),
            good.replace("\n", "\r\n"),
            good + "\n",
            good + "more 1\n",
            good.replace("size 8", "size 08"),
            good.replace("size 8", "size  8"),
            good.replace("size 8", "size +8"),
            good.replace("size 8\n", ""),
            good.replace("size 8", "size 9007199254740992"),
            good.replace("draw demo-2026", "draw Demo"),
            good.replace("657413", "0"),
            good.replace("52db", "52DB"),
            good + "excluded 0 " + Merkle.EMPTY.base64() + "\n")) {
      assertThat(HouseLeaf.parse(StrictText.bytes(wrong))).as(wrong).isEmpty();
    }
  }

  @Test
  void malformedEntriesAreRefused() {
    String good = vectors.text("entry_0");
    for (String wrong :
        List.of(
            good.strip(),
            good.replace("\n", "\r\n"),
            good.replace("acct", "acct,acct"),
            good.replace("acct", "phone,acct"),
            good.replace("acct", "acct,other"),
            good.replace("acct", "none,acct"),
            good + "qty 1\n",
            good + "tier 0\n",
            good + "tier 1\nqty 2\n",
            good + "uniq AAAA\n",
            good.replace("V2w=", "V2x="))) {
      assertThat(EntryLeaf.parse(StrictText.bytes(wrong))).as(wrong).isEmpty();
    }
    String full = good + "uniq AAAAAAAAAAAAAAAAAAAAAA==\nqty 2\ntier 1\n";
    EntryLeaf entry = EntryLeaf.parse(StrictText.bytes(full)).orElseThrow();
    assertThat(entry.qty()).isEqualTo(2);
    assertThat(entry.tier()).isEqualTo(1);
    assertThat(
            EntryLeaf.parse(StrictText.bytes(good.replace("acct", "none"))).orElseThrow().classes())
        .isEmpty();
    assertThat(EntryLeaf.parse(new byte[] {(byte) 0xff})).isEmpty();
  }

  private Optional<DrawRules> rules(String from, String to) {
    return DrawRules.parse(StrictText.bytes(vectors.text("rules_json").replace(from, to)));
  }

  @Test
  void rulesHaveOneForm() {
    assertThat(rules("{", "{ ")).isEmpty();
    assertThat(rules("\"stock\":3", "\"stock\":3.0")).isEmpty();
    assertThat(rules("\"stock\":3", "\"stock\":-3")).isEmpty();
    assertThat(rules("\"stock\":3", "\"stock\":3,\"stock\":3")).isEmpty();
    assertThat(rules("\"stock\":3", "\"stock\":3,\"a\":1")).isEmpty();
    assertThat(rules("\"stock\":3", "\"stock\":9007199254740992")).isEmpty();
    assertThat(rules("}", ",\"title\":\"\\u00e9\"}")).isEmpty();
    assertThat(rules("}", ",\"title\":\"é\\n\\u001f\\\"\"}")).isPresent();
    assertThat(rules("}", "}\n")).isEmpty();
    assertThat(DrawRules.parse(StrictText.bytes("[]"))).isEmpty();
    assertThat(DrawRules.parse(new byte[60_001])).isEmpty();
  }

  @Test
  void rulesThatContradictThemselvesAreRefused() {
    assertThat(rules("\"order\":\"lots/1\"", "\"open\":1694775300,\"order\":\"lots/1\"")).isEmpty();
    assertThat(rules("\"order\":\"lots/1\"", "\"order\":\"lots/2\"")).isEmpty();
    assertThat(rules("\"order\"", "\"fallback_rounds\":[1],\"order\"")).isEmpty();
    String other = "{\"beacon\":\"" + "0".repeat(64) + "\",\"round\":1}";
    assertThat(rules("\"stock\"", "\"second_beacon\":" + other + ",\"stock\"")).isPresent();
    for (String second :
        List.of("{}", "[]", "{\"beacon\":\"" + "0".repeat(64) + "\",\"round\":0}", "null")) {
      assertThat(rules("\"stock\"", "\"second_beacon\":" + second + ",\"stock\"")).isEmpty();
    }
    assertThat(rules("\"seal_by\":1694775573", "\"seal_by\":1694775299")).isEmpty();
    assertThat(rules("\"order\"", "\"holdbacks\":{\"artist\":2,\"sponsor\":2},\"order\""))
        .isEmpty();
    assertThat(
            rules("\"order\"", "\"holdbacks\":{\"artist\":2,\"sponsor\":1},\"order\"")
                .orElseThrow()
                .units())
        .isZero();
    assertThat(rules("\"round\"", "\"quorum\":1,\"round\"")).isEmpty();
  }

  @Test
  void oneWitnessWithTwoNamesIsRefused() {
    String one = witness("w.example/1", 1);
    String two = witness("w.example/2", 2);
    String same = witness("w.example/2", 1);
    assertThat(rules("}", ",\"witnesses\":[\"" + one + "\",\"" + two + "\"]}")).isPresent();
    assertThat(rules("}", ",\"witnesses\":[\"" + one + "\",\"" + same + "\"]}")).isEmpty();
  }

  private static String witness(String name, int fill) {
    byte[] seed = new byte[32];
    seed[0] = (byte) fill;
    return new SignerKey(name, VerifierKey.Type.COSIGNATURE, seed).verifier().text();
  }

  @Test
  void allotmentsAreReadAsTheyWereWritten() {
    List<Allotment> all =
        List.of(
            new Allotment(0, Status.OFFERED, 2, 1),
            new Allotment(1, Status.EXCLUDED, 0, 0),
            new Allotment(2, Status.UNFIT, 0, 0));
    String text = "0 offered 2 1\n1 excluded 0 0\n2 unfit 0 0\n";
    assertThat(all.stream().map(Allotment::line))
        .containsExactlyElementsOf(text.lines().map(line -> line + "\n").toList());
    assertThat(Allotment.parse(StrictText.bytes(text))).contains(all);
    assertThat(Allotment.parse(new byte[0])).contains(List.of());
    for (String wrong :
        List.of("0 offered 2\n", "0 Offered 2 1\n", "0 offered 2 1", "\n", "0 offered 2 1\r\n")) {
      assertThat(Allotment.parse(StrictText.bytes(wrong))).as(wrong).isEmpty();
    }
  }

  @Test
  void aReportCountsEveryUnitOnce() {
    List<Allotment> all =
        List.of(
            new Allotment(0, Status.OFFERED, 1, 0),
            new Allotment(1, Status.OFFERED, 0, 2),
            new Allotment(2, Status.WITHDRAWN, 0, 0),
            new Allotment(3, Status.OFFERED, 1, 0));
    AllocationReport report = AllocationReport.of(5, 2, all);
    assertThat(report).isEqualTo(new AllocationReport(5, 2, 1, 1, 1));
    assertThat(report.addsUp()).isTrue();
    assertThat(new AllocationReport(5, 2, 1, 1, 0).addsUp()).isFalse();
  }
}
