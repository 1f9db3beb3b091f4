package fairgate.draw;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.Main;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.verify.Absence;
import fairgate.draw.verify.Cheat;
import fairgate.draw.verify.DrawVerifier;
import fairgate.draw.verify.RepeatedDraw;
import fairgate.draw.verify.TarFiles;
import fairgate.draw.verify.TestChains;
import fairgate.draw.verify.TestDraw;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerdictCode;
import fairgate.draw.verify.VerifyRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The three verifiers of draws, written apart, give the same verdicts: the Java command, the page
/// `/verify` (its script runs in Node), and the Python file.
///
/// `-Dfairgate.draws.large=3` adds three draws of 100,000 entries, `-Dfairgate.draws.damaged=5000`
/// sets the number of damaged records.
@Timeout(1_800)
class VerifierAgreementIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path PYTHON = Path.of("..", "deploy", "draw", "verify_draw.py");
  private static final Path SCRIPTS = Path.of("src", "test", "resources", "draws");
  private static final int[] SIZES = {1, 2, 3, 7, 8, 1, 2, 3, 7, 1_000};
  private static final int LARGE = 100_000;

  @TempDir private Path folder;

  private final List<Case> cases = new ArrayList<>();

  /// @param receipt may be empty
  private record Case(String name, Path file, String receipt, boolean isLight) {
    String line() {
      return """
          {"file":"%s","receipt":"%s","chains":["%s"],"light":%b}
          """
          .formatted(file, receipt, String.join("\",\"", TestChains.NAMED), isLight);
    }
  }

  /// What every verifier must say. Seed and root count only for accepted draws, because a verifier
  /// may compute more or less before a check that fails.
  ///
  /// @param warnings their codes, except `light`, which the page says in a sentence of its own
  /// @param absent kind and reason if the entry takes no part
  private record Said(
      String code, String stage, String seed, String root, Set<String> warnings, String absent) {
    static Said of(
        Case it,
        String code,
        String stage,
        String seed,
        String root,
        Stream<String> warnings,
        String absent) {
      boolean isOk = code.equals("ok");
      return new Said(
          code,
          isOk ? stage : "",
          isOk ? seed : "",
          isOk && !it.isLight() ? root : "",
          isOk
              ? warnings.filter(word -> !word.equals("light")).collect(Collectors.toSet())
              : Set.of(),
          isOk ? absent : "");
    }
  }

  /// Adds the check of everything, and the short check.
  private void add(String name, Map<String, byte[]> files, byte[] receipt) throws IOException {
    add(name, files, receipt, false, true);
  }

  private void add(String name, TestDraw draw, boolean... depths) throws IOException {
    add(name, draw.files(), draw.receipt(), depths);
  }

  private void add(String name, Map<String, byte[]> files, byte[] receipt, boolean... depths)
      throws IOException {
    Path file = folder.resolve(cases.size() + ".tar");
    Path proof = folder.resolve(cases.size() + ".tlog-proof");
    TestDraw.write(file, files);
    Files.write(proof, receipt);
    for (boolean light : depths) {
      cases.add(new Case(name + (light ? ", short" : ""), file, proof.toString(), light));
    }
  }

  private List<Said> java() throws IOException {
    List<Said> all = new ArrayList<>();
    for (Case it : cases) {
      all.add(java(it));
    }
    return all;
  }

  private static Said java(Case it) throws IOException {
    Optional<TarFiles> opened = TarFiles.open(it.file());
    if (opened.isEmpty()) {
      return Said.of(it, VerdictCode.MALFORMED_BUNDLE.word(), "", "", "", Stream.of(), "");
    }
    try (TarFiles files = opened.get()) {
      VerifyRequest request =
          VerifyRequest.everything(files, TestChains.NAMED, Clock.systemUTC())
              .withReceipts(List.of(Files.readAllBytes(Path.of(it.receipt()))));
      Verdict verdict = DrawVerifier.verify(it.isLight() ? request.light() : request);
      return Said.of(
          it,
          verdict.code().word(),
          verdict.stage().word(),
          verdict.seed().map(Hash::hex).orElse(""),
          verdict.resultRoot().map(Hash::hex).orElse(""),
          verdict.warnings().stream(),
          verdict.mine().stream()
              .findFirst()
              .flatMap(Verdict.Mine::absence)
              .map(VerifierAgreementIT::text)
              .orElse(""));
    }
  }

  private static String text(Absence absence) {
    return absence.kind().word() + " " + absence.reason();
  }

  /// Starts a verifier on all cases.
  private Process started(String program, Path script, Path verifier) throws IOException {
    Path list = folder.resolve("cases.jsonl");
    Files.writeString(list, cases.stream().map(Case::line).collect(Collectors.joining()));
    return new ProcessBuilder(program, script.toString(), verifier.toString(), list.toString())
        .redirectOutput(folder.resolve(program + ".out").toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private List<Said> verdicts(String program, Process process) throws Exception {
    assertThat(process.waitFor()).as(program).isZero();
    List<String> lines = Files.readAllLines(folder.resolve(program + ".out"));
    assertThat(lines).as(program).hasSameSizeAs(cases);
    List<Said> said = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      JsonNode found = JSON.readTree(lines.get(i));
      assertThat(found.path("code").asText()).as(cases.get(i) + " " + found).isNotEqualTo("defect");
      said.add(
          Said.of(
              cases.get(i),
              found.path("code").asText(),
              found.path("stage").asText(),
              found.path("seed").asText(),
              found.path("result_root").asText(),
              found.path("warnings").valueStream().map(JsonNode::asText),
              found.path("absent").asText()));
    }
    return said;
  }

  /// The verdicts of all cases, on which the three programs agree.
  private List<Said> agreed() throws Exception {
    Process node = started("node", SCRIPTS.resolve("verdicts.mjs"), VerifierPage.in(folder));
    Process snake = started("python3", SCRIPTS.resolve("verdicts.py"), PYTHON);
    List<Said> java = java();
    List<Said> page = verdicts("node", node);
    List<Said> python = verdicts("python3", snake);
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      if (!java.get(i).equals(page.get(i)) || !java.get(i).equals(python.get(i))) {
        differences.add(
            "%s: Java %s, page %s, Python %s"
                .formatted(cases.get(i).name(), java.get(i), page.get(i), python.get(i)));
      }
    }
    assertThat(differences).isEmpty();
    return java;
  }

  @Test
  void theyAgreeOnRandomDraws() throws Exception {
    int large = Integer.getInteger("fairgate.draws.large", 0);
    List<TestDraw> drawOf = new ArrayList<>();
    for (int i = 0; i < 4 * SIZES.length + large; i++) {
      int size = i < 4 * SIZES.length ? SIZES[i % SIZES.length] : LARGE;
      TestDraw draw = TestDraw.honest(50_000 + i, size);
      String name = "draw " + i + " of " + size;
      if (i % 10 == 0) {
        add(name, draw.files(), draw.receipt(), true);
        drawOf.add(draw);
      }
      add(name, draw.files(), draw.receipt(), false);
      drawOf.add(draw);
    }
    List<Said> said = agreed();
    for (int i = 0; i < said.size(); i++) {
      TestDraw draw = drawOf.get(i);
      boolean isLight = cases.get(i).isLight();
      assertThat(said.get(i))
          .as(cases.get(i).name())
          .isEqualTo(
              new Said(
                  "ok",
                  isLight ? "drawn" : "ended",
                  draw.seed().hex(),
                  isLight ? "" : draw.resultRoot().hex(),
                  draw.rules().secondBeacon().isPresent() ? said.get(i).warnings() : Set.of(),
                  isLight ? "" : draw.absence().map(VerifierAgreementIT::text).orElse("")));
    }
  }

  @Test
  void eachCatchesEveryCheat() throws Exception {
    List<String> expected = new ArrayList<>();
    for (Cheat cheat : Cheat.values()) {
      for (int size : new int[] {8, 40}) {
        add(cheat.code() + " of " + size, TestDraw.cheating(60_000 + size, size, cheat), false);
        expected.add(cheat.code());
      }
    }
    List<Said> said = agreed();
    for (int i = 0; i < expected.size(); i++) {
      assertThat(said.get(i).code()).isEqualTo(expected.get(i));
    }
    assertThat(sentences(cases.getFirst(), 1))
        .contains("RESULT: WRONG", "from the shop's own address", "If the verdict stays");
  }

  /// The short check reads the log to tell one from the other.
  @Test
  void eachTellsAWithheldResultFromAnAbortedDraw() throws Exception {
    add("withheld", TestDraw.cheating(61_000, 8, Cheat.WITHHELD), false, true);
    add("aborted", TestDraw.aborted(61_001, 8), false, true);
    add("aborted too late", TestDraw.ended(TestDraw.honest(61_002, 8)), false);
    assertThat(agreed().stream().map(said -> said.code() + " " + said.stage()))
        .containsExactly("withheld ", "withheld ", "ok aborted", "ok aborted", "late_abort ");
  }

  @Test
  void eachTellsThatAReceiptWaitsForTheSeal() throws Exception {
    TestDraw draw = TestDraw.abortedBeforeTheSeal(62_000, 8);
    List<byte[]> receipts = List.of(draw.receipt(), draw.promise());
    for (byte[] receipt : receipts) {
      add("unsealed", draw.files(), receipt);
    }
    assertThat(agreed())
        .allMatch(it -> it.warnings().equals(Set.of("unsealed")) && it.stage().equals("aborted"));
  }

  /// A receipt that is damaged or not signed by the draw proves nothing against it.
  @Test
  void noneTakesAnUnusableReceiptAsEvidence() throws Exception {
    for (TestDraw draw :
        List.of(TestDraw.honest(62_003, 8), TestDraw.abortedBeforeTheSeal(62_003, 8))) {
      for (byte[] receipt : draw.unusableReceipts()) {
        add("unusable receipt", draw.files(), receipt);
      }
    }
    assertThat(agreed()).allMatch(it -> it.code().equals("unusable_receipt"));
  }

  @Test
  void eachWarnsInTheSameWords() throws Exception {
    add("unwitnessed", TestDraw.unwitnessed(62_004, 8), false, true);
    add("second beacon", TestDraw.honest(62_007, 8), false, true);
    add("drawn again", RepeatedDraw.of(8, 8), false);
    assertThat(agreed().stream().flatMap(said -> said.warnings().stream()))
        .containsExactly("no_witness", "no_witness", "second", "second", "earlier_draw");
    assertThat(sentences(cases.getFirst(), 0))
        .contains(
            "No witness confirms that they were published before the draw",
            "No witness confirms that this was before the dice were thrown")
        .doesNotContain("were published before the draw,", "sealed before the dice");
    assertThat(sentences(cases.getLast(), 0))
        .contains("were published before the draw, and witnesses", "sealed before the dice")
        .contains("not the first draw of this product: first came before it")
        .doesNotContain("No witness confirms");
  }

  @Test
  void eachRefusesAPathThatLeavesTheFolder() throws Exception {
    TestDraw draw = TestDraw.honest(62_005, 8);
    for (String path : List.of("../../etc/x", "/etc/x", "log//x", "log/./x", "log/x y")) {
      Map<String, byte[]> files = new LinkedHashMap<>(Map.of(path, new byte[3]));
      files.putAll(draw.files());
      add(path, files, draw.receipt());
    }
    assertThat(agreed()).allMatch(it -> it.code().equals("malformed_bundle"));
  }

  @Test
  void eachTellsAnEntryThatTakesNoPart() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      for (TestDraw draw :
          List.of(
              TestDraw.honest(63_000 + i, 8),
              TestDraw.aborted(63_000 + i, 8),
              TestDraw.abortedBeforeTheSeal(63_000 + i, 8))) {
        if (draw.absence().isPresent()) {
          for (byte[] receipt : List.of(draw.receipt(), draw.promise())) {
            add("absent", draw.files(), receipt, false);
            expected.add(text(draw.absence().get()));
          }
        }
      }
    }
    assertThat(expected).contains("withdrawn request", "excluded duplicate");
    assertThat(agreed().stream().map(Said::absent)).containsExactlyElementsOf(expected);
    assertThat(sentences(cases.getFirst(), 0))
        .contains(expected.getFirst().replace(" ", " (reason: ") + "). It gets no units")
        .doesNotContain("Your rank", "Your lot");
  }

  /// What the Python file says about a case, in English.
  private static String sentences(Case it, int status) throws IOException, InterruptedException {
    String chains = String.join(" --chain ", TestChains.NAMED);
    String command =
        "python3 %s --lang en --chain %s --receipt %s %s"
            .formatted(PYTHON, chains, it.receipt(), it.file());
    Process process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isEqualTo(status);
    return said;
  }

  @Test
  void eachTellsAReceiptOfAnotherDraw() throws Exception {
    TestDraw other = TestDraw.honest(62_002, 8);
    for (TestDraw draw :
        List.of(TestDraw.honest(62_001, 8), TestDraw.abortedBeforeTheSeal(62_000, 8))) {
      for (byte[] receipt : List.of(other.receipt(), other.promise())) {
        add("receipt of another draw", draw.files(), receipt);
      }
    }
    assertThat(agreed()).allMatch(it -> it.code().equals("receipt_of_another_draw"));
  }

  private static byte[] concat(byte[] start, String end) {
    return inserted(start, start.length, StrictText.bytes(end));
  }

  private static byte[] inserted(byte[] data, int at, byte[] more) {
    byte[] all = Arrays.copyOf(data, data.length + more.length);
    System.arraycopy(more, 0, all, at, more.length);
    System.arraycopy(data, at, all, at + more.length, data.length - at);
    return all;
  }

  /// The short check reads the hashes of the list. A damaged file is no second list.
  @Test
  void noneHashesATileOfTheWrongLength() throws Exception {
    TestDraw draw = TestDraw.honest(62_011, 8);
    String tile = "draws/" + draw.id() + "/log/tile/0/000.p/8";
    byte[] right = requireNonNull(draw.files().get(tile));
    for (byte[] wrong :
        List.of(
            new byte[0],
            Arrays.copyOf(right, right.length - 1),
            concat(right, "\n"),
            inserted(right, 5, StrictText.bytes("\r")),
            inserted(right, 0, StrictText.bytes("\ufeff")),
            inserted(right, 0, right))) {
      Map<String, byte[]> files = new LinkedHashMap<>(draw.files());
      files.put(tile, wrong);
      add(wrong.length + " bytes", files, draw.receipt(), true);
    }
    assertThat(agreed()).allMatch(it -> it.code().equals("malformed_log"));
  }

  /// Signature lines of unknown keys are ignored if they are well-formed.
  @Test
  void eachReadsTheSameNamesOfKeys() throws Exception {
    TestDraw draw = TestDraw.honest(62_011, 8);
    String proof = "draws/" + draw.id() + "/rules.tlog-proof";
    List<String> expected = new ArrayList<>();
    for (String name :
        List.of("a\u007f", "a\u0085", "a\ufeff", "a\u2028", "a\u00a0", "a+", "a".repeat(201))) {
      String line = "— " + name + " AAAAAAA=\n";
      Map<String, byte[]> files = new LinkedHashMap<>(draw.files());
      files.put(proof, concat(requireNonNull(files.get(proof)), line));
      add(name, files, draw.receipt());
      add(name + " in the receipt", draw.files(), concat(draw.receipt(), line));
      Collections.addAll(
          expected, "malformed_note", "malformed_note", "unusable_receipt", "unusable_receipt");
    }
    add("é", draw.files(), concat(draw.receipt(), "— é AAAAAAA=\n"));
    Collections.addAll(expected, "ok", "ok");
    assertThat(agreed().stream().map(Said::code)).containsExactlyElementsOf(expected);
  }

  @Test
  void eachRefusesTheSameChains() throws Exception {
    TestDraw draw = TestDraw.honest(62_011, 8);
    String chain = "draws/" + draw.id() + "/chain.json";
    Map<String, String> changes =
        Map.of(
            "{\"public_key\"", "{\"period\":9,\"public_key\"",
            "\"public_key\":\"a", "\"public_key\":\"A",
            "}}", "},\"x\":\"\\\\u0000\"}");
    for (Map.Entry<String, String> change : changes.entrySet()) {
      Map<String, byte[]> files = new LinkedHashMap<>(draw.files());
      files.put(
          chain,
          replaced(
              requireNonNull(files.get(chain)), Pattern.quote(change.getKey()), change.getValue()));
      assertThat(files.get(chain)).isNotEqualTo(draw.files().get(chain));
      add(change.getValue(), files, draw.receipt());
    }
    assertThat(agreed()).allMatch(it -> it.code().equals("malformed_chain"));
  }

  @Test
  void eachRefusesTheSameAuditOfRules() throws Exception {
    TestDraw draw = TestDraw.honest(62_011, 8);
    String rules = "draws/" + draw.id() + "/rules.json";
    for (String audit : List.of("{\"auditor\":5,\"k\":2}", "{\"k\":2147483648}", "2147483648")) {
      Map<String, byte[]> files = new LinkedHashMap<>(draw.files());
      files.put(rules, replaced(requireNonNull(files.get(rules)), "\\{\"k\":2}", audit));
      assertThat(files.get(rules)).isNotEqualTo(draw.files().get(rules));
      add(audit, files, draw.receipt());
    }
    assertThat(agreed()).allMatch(it -> it.code().equals("malformed_rules"));
  }

  @Test
  void noneReadsATreeThatIsTooLarge() throws Exception {
    add("list", TestDraw.tooLarge(62_011), TestDraw.honest(62_011, 8).receipt());
    add("log", TestDraw.inTooLargeLog(62_011), TestDraw.honest(62_011, 8).receipt());
    assertThat(agreed().stream().map(Said::code))
        .containsExactly("malformed_log", "missing_file", "malformed_log", "ok");
  }

  private static JsonNode command(Path file) throws IOException {
    StringWriter out = new StringWriter();
    String chain = TestChains.FIRST.hash();
    int _ =
        Main.commandLine()
            .setOut(new PrintWriter(out))
            .execute("verify-draw", file.toString(), "--json", "--chain", chain);
    return JSON.readTree(out.toString());
  }

  private static JsonNode python(Path file) throws IOException {
    String chain = TestChains.FIRST.hash();
    Process process =
        new ProcessBuilder(
                "python3", PYTHON.toString(), file.toString(), "--json", "--chain", chain)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    return JSON.readTree(process.getInputStream().readAllBytes());
  }

  /// A list that is not sealed has no size yet, which is not 0.
  @Test
  void theCommandAndThePythonFileTellTheSameToPrograms() throws IOException {
    Path damaged = folder.resolve("damaged.tar");
    Files.write(damaged, new byte[7]);
    Path open = folder.resolve("open.tar");
    TestDraw.abortedBeforeTheSeal(62_011, 8).write(open);
    Path ended = folder.resolve("ended.tar");
    TestDraw.honest(62_011, 8).write(ended);
    for (Path file : List.of(damaged, open, ended)) {
      JsonNode java = command(file);
      JsonNode python = python(file);
      for (String name : List.of("code", "stage", "draw", "size")) {
        assertThat(java.has(name)).as(name).isTrue();
        assertThat(java.get(name)).as(name + " " + python).isEqualTo(python.get(name));
      }
    }
    assertThat(command(open).get("size").isNull()).isTrue();
    assertThat(command(ended).get("size").asInt()).isEqualTo(8);
  }

  /// Files and receipts that are damaged, and leaves that are damaged under valid signatures.
  @Test
  void damageGetsTheSameVerdictFromEach() throws Exception {
    Random random = new Random(11);
    int count = Integer.getInteger("fairgate.draws.damaged", 60);
    for (int i = 0; i < count; i++) {
      int size = new int[] {1, 3, 8, 40}[random.nextInt(4)];
      long number = 70_000L + random.nextInt(12);
      if (i % 3 == 0) {
        int at = random.nextInt(4 + 2 * size);
        int[] seen = {0};
        TestDraw draw =
            TestDraw.tampered(number, size, leaf -> seen[0]++ == at ? damaged(leaf, random) : leaf);
        add("case " + i + ": leaf " + at + " of draw " + number, draw.files(), draw.receipt());
        continue;
      }
      TestDraw draw = TestDraw.honest(number, size);
      Map<String, byte[]> files = new HashMap<>(draw.files());
      byte[] receipt = draw.receipt();
      List<String> names =
          files.keySet().stream().filter(name -> !name.startsWith("log/tile/0/")).sorted().toList();
      String name = names.get(random.nextInt(names.size()));
      if (i % 3 == 1) {
        files.put(name, damaged(requireNonNull(files.get(name)), random));
      } else {
        name = "the receipt";
        receipt = damaged(receipt, random);
      }
      add("case " + i + ": " + name + " of draw " + number, files, receipt);
    }
    List<Said> said = agreed();
    System.out.println(
        "verdicts on damage: "
            + said.stream().collect(Collectors.groupingBy(Said::code, Collectors.counting())));
    assertThat(said.stream().map(Said::code).distinct()).hasSizeGreaterThan(8);
  }

  private static byte[] damaged(byte[] data, Random random) {
    if (data.length == 0) {
      return new byte[] {'\n'};
    }
    int at = random.nextInt(data.length);
    byte[] copy = data.clone();
    return switch (random.nextInt(7)) {
      case 0 -> Arrays.copyOf(copy, at);
      case 1 -> Arrays.copyOf(copy, copy.length + 1);
      case 2 -> {
        copy[at] ^= (byte) (1 << random.nextInt(8));
        yield copy;
      }
      case 3 -> replaced(data, "\n", "\r\n");
      case 4 -> replaced(data, " ", "  ");
      case 5 -> numbered(data, random);
      default -> lines(data, random);
    };
  }

  private static byte[] replaced(byte[] data, String found, String other) {
    String text = new String(data, StandardCharsets.ISO_8859_1);
    return text.replaceFirst(found, other).getBytes(StandardCharsets.ISO_8859_1);
  }

  /// Another number in the place of one.
  private static byte[] numbered(byte[] data, Random random) {
    String text = new String(data, StandardCharsets.ISO_8859_1);
    List<String> numbers =
        List.of("0", "1", "2", "-1", "01", "9007199254740991", "9007199254740992", "1e3", "7");
    List<int[]> places =
        Pattern.compile("(?<= )[0-9]+(?=[ \n])|(?<=:)[0-9]+")
            .matcher(text)
            .results()
            .map(found -> new int[] {found.start(), found.end()})
            .toList();
    if (places.isEmpty()) {
      return StrictText.bytes("0\n");
    }
    int[] place = places.get(random.nextInt(places.size()));
    String changed =
        text.substring(0, place[0])
            + numbers.get(random.nextInt(numbers.size()))
            + text.substring(place[1]);
    return changed.getBytes(StandardCharsets.ISO_8859_1);
  }

  /// Two lines exchanged, or one twice.
  private static byte[] lines(byte[] data, Random random) {
    List<String> lines =
        new ArrayList<>(List.of(new String(data, StandardCharsets.ISO_8859_1).split("\n", -1)));
    int one = random.nextInt(lines.size());
    int other = random.nextInt(lines.size());
    if (random.nextBoolean()) {
      lines.add(one, lines.get(other));
    } else {
      Collections.swap(lines, one, other);
    }
    return String.join("\n", lines).getBytes(StandardCharsets.ISO_8859_1);
  }
}
