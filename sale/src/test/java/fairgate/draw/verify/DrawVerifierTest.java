package fairgate.draw.verify;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.verify.Verdict.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
class DrawVerifierTest {
  private static final Set<String> CHAINS = TestChains.NAMED;
  private static final int[] SIZES = {1, 2, 3, 7, 8, 40, 1000};

  @TempDir private Path folder;

  private static Verdict verify(Map<String, byte[]> files) {
    return DrawVerifier.verify(
        VerifyRequest.everything(
            path -> Optional.ofNullable(files.get(path)), CHAINS, Clock.systemUTC()));
  }

  private static Verdict verify(TestDraw draw, byte[]... receipts) {
    return DrawVerifier.verify(
        VerifyRequest.everything(draw.drawFiles(), CHAINS, Clock.systemUTC())
            .withReceipts(List.of(receipts)));
  }

  private static Verdict light(TestDraw draw, byte[]... receipts) {
    return DrawVerifier.verify(
        VerifyRequest.everything(draw.drawFiles(), CHAINS, Clock.systemUTC())
            .withReceipts(List.of(receipts))
            .light());
  }

  private Map<String, byte[]> changed(TestDraw draw, String name, byte[] content) {
    Map<String, byte[]> files = new HashMap<>(draw.files());
    files.put("draws/" + draw.id() + "/" + name, content);
    return files;
  }

  @Test
  void honestDrawsOfEachSizeAreAccepted() {
    for (int i = 1; i <= 5 * SIZES.length; i++) {
      TestDraw draw = TestDraw.honest(i, SIZES[i % SIZES.length]);
      Verdict verdict = verify(draw, draw.receipt(), draw.promise());
      assertThat(verdict.code()).as("draw %d: %s", i, verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.stage()).isEqualTo(Stage.ENDED);
      assertThat(verdict.seed()).contains(draw.seed());
      assertThat(verdict.resultRoot()).contains(draw.resultRoot());
      assertThat(verdict.mine()).hasSize(2).allSatisfy(it -> assertThat(it.rank()).isPresent());
      assertThat(verdict.mine().getFirst().index()).isEqualTo(draw.mine());
      Verdict light = light(draw, draw.receipt());
      assertThat(light.code()).as("draw %d: %s", i, light.detail()).isEqualTo(VerdictCode.OK);
      assertThat(light.mine().getFirst().lot()).isEqualTo(verdict.mine().getFirst().lot());
    }
  }

  @Test
  void anEntryThatTakesNoPartIsTold() {
    Set<Absence.Kind> seen = EnumSet.noneOf(Absence.Kind.class);
    for (int i = 1; i <= 60; i++) {
      List<TestDraw> draws =
          List.of(
              TestDraw.honest(i, 8), TestDraw.aborted(i, 8), TestDraw.abortedBeforeTheSeal(i, 8));
      for (TestDraw draw : draws) {
        Verdict verdict = verify(draw, draw.receipt(), draw.promise());
        assertThat(verdict.code()).as("draw %d: %s", i, verdict.detail()).isEqualTo(VerdictCode.OK);
        assertThat(verdict.mine())
            .allSatisfy(it -> assertThat(it.absence()).isEqualTo(draw.absence()));
        if (draw.absence().isPresent()) {
          assertThat(verdict.mine()).hasSize(2);
          assertThat(verdict.mine().getFirst().index()).isEqualTo(draw.mine());
          seen.add(draw.absence().get().kind());
        }
      }
    }
    assertThat(seen).containsExactlyInAnyOrder(Absence.Kind.values());
  }

  /// The list has a third level of tiles from 65,536 entries on.
  @Test
  void aDrawWithThreeLevelsOfTilesIsAccepted() throws IOException {
    int size = 66_000;
    TestDraw draw = TestDraw.honest(7, size);
    Path file = folder.resolve("bundle.tar");
    draw.write(file);
    try (TarFiles files = TarFiles.open(file).orElseThrow()) {
      VerifyRequest request =
          VerifyRequest.everything(files, CHAINS, Clock.systemUTC())
              .withReceipts(List.of(draw.receipt()));
      Verdict verdict = DrawVerifier.verify(request);
      assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.size()).contains((long) size);
      assertThat(verdict.fairness().orElseThrow().marginal().z()).isLessThan(4);
      assertThat(DrawVerifier.verify(request.light()).code()).isEqualTo(VerdictCode.OK);
    }
  }

  @ParameterizedTest
  @EnumSource(Cheat.class)
  void everyCheatIsCaught(Cheat cheat) {
    for (int i = 0; i < 5; i++) {
      TestDraw draw = TestDraw.cheating(2000 + i, 8 + 30 * i, cheat);
      Verdict verdict = verify(draw, draw.receipt());
      assertThat(verdict.code().word()).as(verdict.detail()).isEqualTo(cheat.code());
      assertThat(verdict.code().isUnreadable()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Cheat.class,
      names = {
        "DROPPED_ENTRY",
        "LATE_SEAL",
        "WRONG_ROUND",
        "FORGED_BEACON",
        "EDITED_RULES",
        "WITHHELD"
      })
  void theLightCheckCatchesWhatItCanSee(Cheat cheat) {
    TestDraw draw = TestDraw.cheating(3000, 40, cheat);
    Verdict verdict = light(draw, draw.receipt());
    // Without the log, edited rules do not match their proof.
    String code = cheat == Cheat.EDITED_RULES ? "bad_proof" : cheat.code();
    assertThat(verdict.code().word()).as(verdict.detail()).isEqualTo(code);
  }

  @Test
  void theSecondBeaconDecidesOnlyWithAChainThatTheCallerNames() {
    TestDraw draw = TestDraw.honest(17, 8);
    assertThat(draw.rules().secondBeacon()).isPresent();
    Verdict verdict = verify(draw, draw.receipt());
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.findings().stream().map(Verdict.Finding::key)).contains("second_beacon");
    Set<String> first = Set.of(TestChains.FIRST.hash());
    VerifyRequest request = VerifyRequest.everything(draw.drawFiles(), first, Clock.systemUTC());
    assertThat(DrawVerifier.verify(request).code()).isEqualTo(VerdictCode.UNKNOWN_BEACON);
    assertThat(DrawVerifier.verify(request.light()).code()).isEqualTo(VerdictCode.UNKNOWN_BEACON);
    // It is named and not used.
    TestDraw unused = TestDraw.honest(12, 8);
    assertThat(unused.rules().secondBeacon()).isPresent();
    assertThat(
            DrawVerifier.verify(
                    VerifyRequest.everything(unused.drawFiles(), first, Clock.systemUTC()))
                .code())
        .isEqualTo(VerdictCode.OK);
    assertThat(verify(changed(unused, "second-chain.json", new byte[] {'{'})).code())
        .isEqualTo(VerdictCode.MALFORMED_CHAIN);
  }

  @Test
  void withoutTheReceiptNobodySeesTheDroppedEntry() {
    TestDraw draw = TestDraw.cheating(2000, 40, Cheat.DROPPED_ENTRY);
    assertThat(verify(draw).code()).isEqualTo(VerdictCode.OK);
    assertThat(verify(draw, draw.receipt()).code()).isEqualTo(VerdictCode.DROPPED_ENTRY);
  }

  /// Else anybody could make evidence against an honest shop with an editor.
  @Test
  void aDamagedReceiptAccusesNobody() {
    TestDraw draw = TestDraw.honest(5, 40);
    List<String> lines =
        new ArrayList<>(StrictText.utf8(draw.receipt()).orElseThrow().lines().toList());
    int hash = lines.indexOf("") - 1;
    char first = lines.get(hash).charAt(0) == 'A' ? 'B' : 'A';
    lines.set(hash, first + lines.get(hash).substring(1));
    byte[] damaged = StrictText.bytes(String.join("\n", lines) + "\n");
    List<byte[]> receipts = new ArrayList<>(draw.unusableReceipts());
    receipts.add(damaged);
    for (byte[] receipt : receipts) {
      for (Verdict verdict : List.of(verify(draw, receipt), light(draw, receipt))) {
        assertThat(verdict.code()).isEqualTo(VerdictCode.UNUSABLE_RECEIPT);
        assertThat(verdict.code().isUnreadable()).isTrue();
      }
    }
  }

  @Test
  void aBrokenPromiseIsEvidence() {
    TestDraw draw = TestDraw.honest(5, 8);
    assertThat(verify(draw, draw.promise()).code()).isEqualTo(VerdictCode.OK);
    TestDraw cheating = TestDraw.cheating(2000, 40, Cheat.DROPPED_ENTRY);
    assertThat(verify(cheating, cheating.promise()).code()).isEqualTo(VerdictCode.DROPPED_ENTRY);
  }

  @Test
  void aReceiptOfAnotherListIsAFork() {
    TestDraw draw = TestDraw.honest(9, 40);
    byte[] receipt = draw.receiptOfAnotherList();
    assertThat(verify(draw, receipt).code()).isEqualTo(VerdictCode.FORKED_LIST);
    assertThat(light(draw, receipt).code()).isEqualTo(VerdictCode.FORKED_LIST);
  }

  /// It says nothing against this draw.
  @Test
  void aReceiptOfAnotherDrawAccusesNobody() {
    TestDraw draw = TestDraw.honest(5, 40);
    TestDraw other = TestDraw.honest(6, 40);
    for (byte[] receipt : List.of(other.receipt(), other.promise())) {
      for (Verdict verdict : List.of(verify(draw, receipt), light(draw, receipt))) {
        assertThat(verdict.code()).isEqualTo(VerdictCode.RECEIPT_OF_ANOTHER_DRAW);
        assertThat(verdict.code().isUnreadable()).isTrue();
        assertThat(verdict.detail())
            .isEqualTo(
                "shop.example/fairgate/draws/draw-6, not shop.example/fairgate/draws/draw-5");
      }
    }
  }

  @Test
  void beforeTheSealOnlyTheSignatureOfAReceiptIsChecked() {
    TestDraw open = TestDraw.unsealed(3, 8);
    Clock before = fifteenMinutesAfterTheRound(open, -1);
    VerifyRequest full = VerifyRequest.everything(open.drawFiles(), CHAINS, before);
    for (VerifyRequest request : List.of(full, full.light())) {
      assertThat(request(request, open.receipt()).stage()).isEqualTo(Stage.ANNOUNCED);
      for (byte[] receipt : List.of(open.receipt(), open.promise())) {
        Verdict verdict = request(request, receipt);
        assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
        assertThat(verdict.findings())
            .contains(
                new Verdict.Finding(
                    "unsealed", List.of(Instant.ofEpochSecond(open.rules().sealBy()).toString())));
      }
      assertThat(DrawVerifier.verify(request).findings().stream().map(Verdict.Finding::key))
          .doesNotContain("unsealed");
      assertThat(request(request, open.forgedReceipt()).code())
          .isEqualTo(VerdictCode.UNUSABLE_RECEIPT);
      assertThat(request(request, TestDraw.honest(6, 8).receipt()).code())
          .isEqualTo(VerdictCode.RECEIPT_OF_ANOTHER_DRAW);
    }
    TestDraw aborted = TestDraw.abortedBeforeTheSeal(3, 8);
    for (Verdict verdict : List.of(verify(aborted, aborted.receipt()), light(aborted))) {
      assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.stage()).isEqualTo(Stage.ABORTED);
    }
  }

  private static Verdict request(VerifyRequest request, byte[] receipt) {
    return DrawVerifier.verify(request.withReceipts(List.of(receipt)));
  }

  @Test
  void aReceiptOfAnotherPersonIsNotMine() {
    TestDraw draw = TestDraw.honest(4, 40);
    VerifyRequest request =
        VerifyRequest.everything(draw.drawFiles(), CHAINS, Clock.systemUTC())
            .withReceipts(List.of(draw.receipt()));
    assertThat(DrawVerifier.verify(of(request, "person " + draw.mine())).code())
        .isEqualTo(VerdictCode.OK);
    assertThat(DrawVerifier.verify(of(request, "somebody else")).code())
        .isEqualTo(VerdictCode.NOT_MINE);
    assertThat(DrawVerifier.verify(of(request, "somebody else").light()).code())
        .isEqualTo(VerdictCode.NOT_MINE);
    // Perhaps the name is only mistyped.
    assertThat(VerdictCode.NOT_MINE.isUnreadable()).isTrue();
  }

  private static VerifyRequest of(VerifyRequest request, String person) {
    return new VerifyRequest(
        request.files(),
        request.logKey(),
        request.chains(),
        request.receipts(),
        Optional.of(person),
        request.isLight(),
        request.progress(),
        request.clock());
  }

  @Test
  void aChainThatNobodyNamedIsNotTrusted() {
    TestDraw draw = TestDraw.honest(4, 8);
    Verdict verdict =
        DrawVerifier.verify(
            VerifyRequest.everything(draw.drawFiles(), Set.of(), Clock.systemUTC()));
    assertThat(verdict.code()).isEqualTo(VerdictCode.UNKNOWN_BEACON);
  }

  @Test
  void aMissingFileIsNamed() {
    TestDraw draw = TestDraw.honest(3, 8);
    for (String file : draw.files().keySet()) {
      Map<String, byte[]> files = new HashMap<>(draw.files());
      files.remove(file);
      boolean isHashTile = file.contains("/tile/") && !file.contains("/tile/entries/");
      Verdict verdict = verify(files);
      assertThat(verdict.code())
          .as(file)
          .isEqualTo(isHashTile ? VerdictCode.OK : VerdictCode.MISSING_FILE);
      assertThat(isHashTile || file.endsWith(verdict.detail())).isTrue();
    }
  }

  /// A fixed number of random changes to each file: no change is accepted, none throws.
  @Test
  void everyChangedFileIsRefused() {
    TestDraw draw = TestDraw.honest(6, 40);
    Random random = new Random(1);
    for (Map.Entry<String, byte[]> file : new TreeMap<>(draw.files()).entrySet()) {
      boolean isHashTile =
          file.getKey().contains("/tile/") && !file.getKey().contains("/tile/entries/");
      for (int i = 0; i < 25 && file.getValue().length > 0; i++) {
        Map<String, byte[]> files = new HashMap<>(draw.files());
        files.put(file.getKey(), damaged(file.getValue(), random));
        Verdict verdict = verify(files);
        boolean isAccepted = verdict.code() == VerdictCode.OK;
        assertThat(isAccepted && !isHashTile && !isHarmless(file.getKey()))
            .as("%s: %s", file.getKey(), verdict.code())
            .isFalse();
      }
    }
  }

  /// A chain's description may gain members, and a name of a signer in a note may become unknown if
  /// enough others are left.
  private static boolean isHarmless(String file) {
    return file.endsWith("chain.json") || file.equals("log/checkpoint");
  }

  private static byte[] damaged(byte[] content, Random random) {
    byte[] damaged = content.clone();
    return switch (random.nextInt(3)) {
      case 0 -> Arrays.copyOf(damaged, random.nextInt(damaged.length));
      case 1 -> Arrays.copyOf(damaged, damaged.length + 1 + random.nextInt(3));
      default -> {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
        yield damaged;
      }
    };
  }

  @Test
  void aSealWithTooFewWitnessesHasNoQuorum() {
    TestDraw draw = TestDraw.honest(3, 8);
    String proof = text(draw, "seal.tlog-proof");
    String cut = proof.substring(0, proof.lastIndexOf("— "));
    assertThat(verify(changed(draw, "seal.tlog-proof", StrictText.bytes(cut))).code())
        .isEqualTo(VerdictCode.NO_QUORUM);
  }

  @Test
  void aDrawWithoutWitnessesIsAcceptedWithAWarning() {
    Verdict verdict = verify(TestDraw.unwitnessed(3, 8));
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.findings().stream().map(Verdict.Finding::key))
        .contains("rules_unwitnessed", "sealed_unwitnessed")
        .doesNotContain("sealed");
    assertThat(verdict.warnings()).containsExactly("no_witness");
  }

  @Test
  void aDrawOfAProductThatHadOneBeforeIsAcceptedWithAWarning() {
    Verdict verdict = verify(RepeatedDraw.of(3, 8));
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.warnings()).containsExactly("earlier_draw");
    assertThat(verdict.findings()).contains(new Verdict.Finding("earlier_draw", List.of("first")));
  }

  @Test
  void aDrawThatWasAbortedAfterItsResultIsRefused() {
    assertThat(verify(TestDraw.ended(TestDraw.honest(3, 8))).code())
        .isEqualTo(VerdictCode.LATE_ABORT);
  }

  private static String text(TestDraw draw, String name) {
    return StrictText.utf8(draw.drawFiles().need("draws/" + draw.id() + "/" + name)).orElseThrow();
  }

  @Test
  void aProofOfAnotherIndexIsRefused() {
    TestDraw draw = TestDraw.honest(3, 8);
    String proof = text(draw, "seal.tlog-proof");
    long index = TlogProof.parse(StrictText.bytes(proof)).orElseThrow().index();
    String wrong = proof.replace("index " + index + "\n", "index " + (index - 1) + "\n");
    assertThat(verify(changed(draw, "seal.tlog-proof", StrictText.bytes(wrong))).code())
        .isEqualTo(VerdictCode.BAD_PROOF);
  }

  @Test
  void aForgedLineOfAWitnessRejectsTheProof() {
    TestDraw draw = TestDraw.honest(3, 8);
    String seal = text(draw, "seal.tlog-proof");
    String rules = text(draw, "rules.tlog-proof");
    // The cosignature of another checkpoint.
    String forged = seal + rules.substring(rules.lastIndexOf("— "));
    assertThat(verify(changed(draw, "seal.tlog-proof", StrictText.bytes(forged))).code())
        .isEqualTo(VerdictCode.BAD_SIGNATURE);
  }

  @Test
  void aDrawIsVerifiedAsFarAsItHasCome() {
    TestDraw draw = TestDraw.honest(3, 8);
    Map<String, byte[]> files = new HashMap<>(draw.files());
    files.keySet().removeIf(file -> file.endsWith("/seal") || file.endsWith("/beacon"));
    VerifyRequest request =
        VerifyRequest.everything(
                path -> Optional.ofNullable(files.get(path)), CHAINS, Clock.systemUTC())
            .light();
    Verdict light = DrawVerifier.verify(request.at(fifteenMinutesAfterTheRound(draw, -1)));
    assertThat(light.code()).isEqualTo(VerdictCode.OK);
    assertThat(light.stage()).isEqualTo(Stage.ANNOUNCED);
    // The log has the beacon.
    assertThat(DrawVerifier.verify(request).code()).isEqualTo(VerdictCode.MISSING_FILE);
  }

  private static Clock fifteenMinutesAfterTheRound(TestDraw draw, int seconds) {
    long round = TestChains.FIRST.timeOf(draw.rules().beacon().round());
    return Clock.fixed(Instant.ofEpochSecond(round + 900 + seconds), ZoneOffset.UTC);
  }

  @Test
  void aResultIsDueFifteenMinutesAfterItsRound() {
    TestDraw draw = TestDraw.cheating(2000, 8, Cheat.WITHHELD);
    VerifyRequest full = VerifyRequest.everything(draw.drawFiles(), CHAINS, Clock.systemUTC());
    for (VerifyRequest request : List.of(full, full.light())) {
      Verdict before = DrawVerifier.verify(request.at(fifteenMinutesAfterTheRound(draw, -1)));
      assertThat(before.code()).as(before.detail()).isEqualTo(VerdictCode.OK);
      assertThat(before.stage()).isEqualTo(Stage.SEALED);
      Verdict late = DrawVerifier.verify(request.at(fifteenMinutesAfterTheRound(draw, 0)));
      assertThat(late.code()).isEqualTo(VerdictCode.WITHHELD);
      assertThat(late.detail())
          .isEqualTo(fifteenMinutesAfterTheRound(draw, -900).instant().toString());
    }
  }

  @Test
  void anAbortedDrawNeedsNoResult() {
    TestDraw draw = TestDraw.aborted(2000, 8);
    for (Verdict verdict : List.of(verify(draw), light(draw))) {
      assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.stage()).isEqualTo(Stage.ABORTED);
    }
  }

  @Test
  void malformedArchivesAreRefused() throws IOException {
    TestDraw draw = TestDraw.honest(3, 8);
    Path file = folder.resolve("bundle.tar");
    draw.write(file);
    byte[] good = Files.readAllBytes(file);
    Random random = new Random(5);
    for (int i = 0; i < 200; i++) {
      byte[] bad = good.clone();
      // In a header: those of the first files.
      bad[random.nextInt(512)] ^= (byte) (1 + random.nextInt(255));
      Files.write(file, bad);
      assertThat(TarFiles.open(file)).isEmpty();
    }
    for (byte[] bad :
        List.of(new byte[0], new byte[100], Arrays.copyOf(good, good.length - 1024 - 512))) {
      Files.write(file, bad);
      assertThat(TarFiles.open(file)).isEmpty();
    }
    byte[] entry = TarFiles.entry("a", new byte[3]);
    for (String path : List.of("../a", "/a", "a//b", "a/./b", "a b", "")) {
      byte[] named = TarFiles.entry(path, new byte[0]);
      Files.write(file, concat(named, TarFiles.end()));
      assertThat(TarFiles.open(file)).as(path).isEmpty();
    }
    byte[] old = TarFiles.entry("a", new byte[3]);
    old[257] = 'x';
    sum(old);
    byte[] directory = TarFiles.entry("a", new byte[0]);
    directory[156] = '5';
    sum(directory);
    for (byte[] bad :
        List.of(
            concat(entry, entry, TarFiles.end()),
            concat(old, TarFiles.end()),
            concat(directory, TarFiles.end()))) {
      Files.write(file, bad);
      assertThat(TarFiles.open(file)).isEmpty();
    }
    Files.write(file, concat(entry, TarFiles.end()));
    assertThat(TarFiles.open(file)).isPresent();
  }

  /// Writes the checksum of a changed header.
  private static void sum(byte[] header) {
    Arrays.fill(header, 148, 156, (byte) ' ');
    int sum = 0;
    for (int i = 0; i < 512; i++) {
      sum += header[i] & 255;
    }
    byte[] field = StrictText.bytes("%06o\0 ".formatted(sum));
    System.arraycopy(field, 0, header, 148, field.length);
  }

  private static byte[] concat(byte[]... parts) {
    java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  @Test
  void theReceiptIsAStandardProof() {
    TestDraw draw = TestDraw.honest(8, 1000);
    TlogProof proof = TlogProof.parse(draw.receipt()).orElseThrow();
    Checkpoint.Signed signed = proof.signedCheckpoint().orElseThrow();
    assertThat(signed.checkpoint().origin()).isEqualTo("shop.example/fairgate/draws/" + draw.id());
    assertThat(proof.extra()).isEqualTo(StrictText.bytes("salt " + draw.mine()));
  }
}
