package fairgate.draw;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.JsonObject;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.pages.Chromium;
import fairgate.draw.verify.Absence;
import fairgate.draw.verify.Cheat;
import fairgate.draw.verify.TestChains;
import fairgate.draw.verify.TestDraw;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page that checks draws, opened from disk in Chromium, on the vectors and recorded draws of
/// `deploy/draw/vectors`.
class DrawVerifierPageIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path VECTORS = Path.of("..", "deploy", "draw", "vectors");

  /// Every answer of the modules to the vectors that differs from the expected one.
  private static final String COMPARE_VECTORS =
      """
      (v) => {
        const { hex, unhex, u64, utf8, concat } = of_bytes;
        const differing = [];
        const same = (name, given, expected) => {
          if (JSON.stringify(given) !== JSON.stringify(expected)) differing.push(name + ': ' + given);
        };
        const leaves = v.leaf.map(unhex);
        const root = unhex(v.entries_root);
        const proof = v.proof_of_entry_5.map(unhex);
        same('leaf', hex(of_tree.leafHash(utf8(v.entry_0))), v.leaf[0]);
        same('root', hex(of_tree.treeRoot(leaves)), v.entries_root);
        same('proof', of_tree.inclusionHolds(5, 8, leaves[5], proof, root), true);
        same('proof of another index', of_tree.inclusionHolds(4, 8, leaves[5], proof, root), false);
        same('proof in another size', of_tree.inclusionHolds(5, 9, leaves[5], proof, root), false);
        same('rules', hex(of_hash.sha256(utf8('fairgate-rules/1\\n' + v.rules_json))), v.rules_hash);
        same('seal', hex(of_tree.leafHash(utf8(v.seal))), v.seal_leaf);
        const { round, signature } = v.beacon;
        const key = unhex('83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451'
          + '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a');
        const holds = (n) => of_bls.blsHolds(key, of_hash.sha256(u64(n)), unhex(signature));
        same('beacon', [holds(round), holds(round + 1)], [true, false]);
        const seed = of_lot.seedOf(unhex(v.seal_leaf), unhex(signature));
        same('seed', hex(seed), v.seed);
        same('lots', leaves.map((leaf) => hex(of_lot.lotOf(seed, leaf))), v.lot);
        const words = new Int32Array(64);
        leaves.forEach((leaf, i) => of_bulk.setHash(words, i, leaf));
        const lots = of_bulk.lotsOf(seed, words, () => {});
        same('bulk lots', leaves.map((_, i) => hex(of_bulk.hashAt(lots, i))), v.lot);
        const order = of_bulk.orderOf(lots, words, new Float64Array(8));
        same('order', [...order], v.order);
        const { hashes } = of_bulk.resultOf(order, lots, words, () => {});
        same('result', hex(of_bulk.prefixRoot(of_bulk.levelsOf(hashes), 8)), v.result_root);
        same('seats', of_lot.shuffled(seed, v.seats_label, 10), v.seats_shuffle_10);
        return differing;
      }
      """;

  /// The whole check of a record, without the page around it.
  private static final String CHECK =
      """
      async ([record, proof, chains]) => {
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const files = new of_files.TarFiles(new Blob([bytes(record)]));
        const receipt = proof ? bytes(proof) : null;
        const check = new of_check.Check(files, { receipt, chains }, () => {});
        return (await check.verdict(false)).code;
      }
      """;

  /// Damages bundles and receipts and returns every answer that is not a verdict.
  private static final String DAMAGE =
      """
      async ([record, proof, chain, seed, count]) => {
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        let random = seed;
        const below = (n) => (random = (Math.imul(random, 1664525) + 1013904223) >>> 0) % n;
        const damaged = (data) => {
          const copy = data.slice();
          const at = below(copy.length);
          const kind = below(4);
          if (kind === 0) return copy.slice(0, at);
          if (kind === 1) copy[at] ^= 1 << below(8);
          if (kind === 2) for (let i = at; i < at + 16 && i < copy.length; i++) copy[i] = below(256);
          if (kind === 3) copy.copyWithin(at, below(copy.length), copy.length);
          return copy;
        };
        const wrong = [];
        const [whole, receipt] = [bytes(record), bytes(proof)];
        const places = new of_files.TarFiles(new Blob([whole]));
        await places.finish();
        const names = [...places.places];
        for (let i = 0; i < count; i++) {
          let data = whole;
          let mine = receipt;
          if (i % 3 === 0) data = damaged(whole);
          if (i % 3 === 1) mine = damaged(receipt);
          if (i % 3 === 2) {
            const { at, size } = names[below(names.length)][1];
            data = whole.slice();
            if (size) data.set(damaged(data.slice(at, at + size)), at);
          }
          for (const light of [true, false]) {
            const files = new of_files.TarFiles(new Blob([data]));
            const check = new of_check.Check(files, { receipt: mine, chains: [chain] }, () => {});
            const { code, detail } = await check.verdict(light);
            if (!/^[a-z_]+$/.test(code) || String(detail).startsWith('defect')) wrong.push(i + ' ' + code + ' ' + detail);
          }
        }
        const parsers = [of_leaf.parseEntry, of_leaf.parseLeaf, of_leaf.parseAllotments, of_leaf.parseChain, of_leaf.parseRules, of_note.parseProof];
        const texts = names.filter(([, { size }]) => size < 3000).map(([, { at, size }]) => whole.slice(at, at + size));
        for (let i = 0; i < 5 * count; i++) {
          for (const parse of parsers) {
            try {
              of_note.step('malformed', () => parse(damaged(texts[below(texts.length)]), { publicKey: new Uint8Array(32) }));
            } catch (e) {
              if (!(e instanceof of_note.Refused)) wrong.push(parse.name + ' ' + e);
            }
          }
        }
        return wrong;
      }
      """;

  @SuppressWarnings("NullAway.Init")
  @TempDir
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static JsonNode expected;

  @SuppressWarnings("NullAway.Init")
  private static Path html;

  private final Chromium chromium = new Chromium();

  @BeforeAll
  static void unpack() throws IOException {
    try (ZipInputStream zip =
        new ZipInputStream(Files.newInputStream(VECTORS.resolve("bundles.zip")))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Files.copy((InputStream) zip, folder.resolve(entry.getName()));
      }
    }
    expected = JSON.readTree(folder.resolve("expected.json").toFile());
    html = folder.resolve("verify.html");
    Files.writeString(html, DrawVerifierPage.html());
  }

  @AfterEach
  void close() {
    chromium.close();
  }

  private static Browser.NewContextOptions size(int width, int height) {
    return new Browser.NewContextOptions().setViewportSize(width, height);
  }

  private Page open(Browser.NewContextOptions options, String locale) {
    Page page = chromium.page(options, "about:blank", locale);
    page.navigate(html.toUri().toString());
    return page;
  }

  /// Gives the page its files and waits for the short check.
  private static void give(Page page, String bundle, String receipt) {
    page.click("summary");
    fill(page, bundle, receipt);
  }

  private static void fill(Page page, String bundle, String receipt) {
    page.fill("#chain", chainsOf(bundle));
    page.dispatchEvent("#chain", "change");
    if (!receipt.isEmpty()) {
      name(page, "receipt", receipt);
    }
    choose(page, "bundle", bundle);
  }

  private static void name(Page page, String input, String file) {
    page.setInputFiles("#" + input, folder.resolve(file));
    String shown = "^" + file.replace(".", "[.]") + "( |$)";
    page.waitForSelector("#" + input + "-name:text-matches('" + shown + "')");
  }

  private static String chainOf(String bundle) {
    return draw(bundle).path("chain").asText();
  }

  /// The chains of the rules, the second one too if there is one.
  private static String chainsOf(String bundle) {
    return chainOf(bundle) + " " + draw(bundle).path("second_chain").asText("");
  }

  private static JsonNode draw(String bundle) {
    for (JsonNode draw : expected.path("bundles")) {
      if (draw.path("file").asText().equals(bundle)) {
        return draw;
      }
    }
    throw new AssertionError(bundle);
  }

  /// Chooses a file and waits for the short check.
  private static void choose(Page page, String input, String file) {
    name(page, input, file);
    page.waitForSelector("body[data-busy=''] #verdict");
  }

  private static String verdict(Page page) {
    return page.getAttribute("body[data-busy=''] #verdict", "data-code");
  }

  private static void everyone(Page page) {
    page.click("#everyone");
    page.waitForSelector("body[data-busy='']:not(:has(#everyone)) #verdict");
  }

  @Test
  void theModulesAgreeWithTheVectors() throws IOException {
    Page page = open(size(800, 600), "en");
    Map<?, ?> vectors = JSON.readValue(VECTORS.resolve("vectors.json").toFile(), Map.class);
    assertThat((List<?>) page.evaluate(COMPARE_VECTORS, vectors)).isEmpty();
    assertThat(chromium.closePages()).isEmpty();
  }

  private static String receiptOf(JsonNode draw) {
    return draw.path("receipt").asText("").replace("null", "");
  }

  /// The first record of each verdict is given to the page by hand, the others to its modules. One
  /// page takes them all. It keeps a receipt until it gets another one, so the records without one
  /// come first.
  @Test
  void everyRecordedDrawAndEveryCheatGetsItsVerdict() throws IOException {
    Map<String, Object> given = new TreeMap<>();
    Map<String, Object> wanted = new TreeMap<>();
    Page page = open(size(800, 900), "en");
    page.click("summary");
    List<JsonNode> draws = new ArrayList<>();
    expected.path("bundles").forEach(draws::add);
    draws.sort(Comparator.comparing(draw -> !receiptOf(draw).isEmpty()));
    for (JsonNode draw : draws) {
      String file = draw.path("file").asText();
      String receipt = receiptOf(draw);
      if (wanted.containsValue(draw.path("code").asText())) {
        String proof = receipt.isEmpty() ? "" : encoded(receipt);
        List<String> chains = List.of(chainsOf(file).split(" "));
        given.put(file, page.evaluate(CHECK, List.of(encoded(file), proof, chains)));
      } else {
        fill(page, file, receipt);
        everyone(page);
        given.put(file, verdict(page));
      }
      wanted.put(file, draw.path("code").asText());
    }
    assertThat(given).isEqualTo(wanted).hasSizeGreaterThan(40);
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void aReceiptThatWaitsForTheSealIsNotSilentlyIgnored() {
    Page page = open(size(800, 900), "en");
    give(page, "honest-announced.tar", "");
    assertThat(page.textContent("#verdict")).doesNotContain("was not checked");
    choose(page, "receipt", "honest-announced.receipt.tlog-proof");
    page.waitForSelector("#verdict:has-text('was not checked: the list is not sealed')");
    assertThat(page.getAttribute("#mine", "data-state")).isEqualTo("open");
    assertThat(page.getAttribute("#dice", "data-state")).isEqualTo("bad");
    assertThat(page.textContent("#verdict")).doesNotContain("{").containsPattern("by .*20\\d\\d");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void anEntryThatTakesNoPartIsToldInPlaceOfItsRank() throws IOException {
    TestDraw draw =
        IntStream.range(1, 200)
            .mapToObj(i -> TestDraw.honest(i, 8))
            .filter(it -> it.absence().isPresent())
            .findFirst()
            .orElseThrow();
    draw.write(folder.resolve("absent.tar"));
    Files.write(folder.resolve("absent.tlog-proof"), draw.receipt());
    Page page = open(size(800, 900), "en");
    page.click("summary");
    page.fill("#chain", String.join(" ", TestChains.NAMED));
    page.dispatchEvent("#chain", "change");
    name(page, "receipt", "absent.tlog-proof");
    choose(page, "bundle", "absent.tar");
    everyone(page);
    assertThat(verdict(page)).isEqualTo("ok");
    Absence absence = draw.absence().orElseThrow();
    assertThat(page.textContent("#verdict"))
        .contains(absence.kind().word() + " (reason: " + absence.reason() + ")");
    assertThat(page.textContent("#results")).doesNotContain("Your rank").doesNotContain("Your lot");
    assertThat(chromium.closePages()).isEmpty();
  }

  /// Checks the verdict of the short check and the state of the entry.
  private static void isShown(Page page, String code, String mine) {
    assertThat(verdict(page)).isEqualTo(code);
    assertThat(page.getAttribute("#mine", "data-state")).isEqualTo(mine);
  }

  @Test
  void aReceiptThatIsNoEvidenceAccusesNobody() throws IOException {
    Page page = open(size(800, 900), "en");
    give(page, "honest-8.tar", "other-honest-004-n8.tlog-proof");
    isShown(page, "receipt_of_another_draw", "unread");
    assertThat(page.getAttribute("#verdict", "class")).isEqualTo("banner unread");
    assertThat(page.textContent("#verdict"))
        .containsPattern("It names \\S+/draws/draw-4; the record is of \\S+/draws/demo-2026\\.");
    byte[] damaged = Files.readAllBytes(folder.resolve("honest-8.receipt.tlog-proof"));
    Files.write(folder.resolve("cut"), Arrays.copyOf(damaged, damaged.length - 3));
    choose(page, "receipt", "cut");
    isShown(page, "unusable_receipt", "unread");
    assertThat(page.textContent("#verdict"))
        .contains("cannot be used as evidence")
        .doesNotContain("they are evidence");
    Files.write(folder.resolve("large"), new byte[2_000_000]);
    choose(page, "receipt", "large");
    isShown(page, "unusable_receipt", "unread");
    assertThat(page.textContent("#verdict")).contains("too large for a receipt");
    assertThat(page.textContent("#bundle-name")).contains("honest-8.tar");
    assertThat(chromium.closePages()).isEmpty();
  }

  /// The checks end before the list is looked at.
  @Test
  void unknownDiceDoNotMakeTheListWrong() {
    Page page = open(size(800, 900), "en");
    choose(page, "bundle", "honest-8.tar");
    isShown(page, "unknown_beacon", "open");
    assertThat(page.textContent("#mine")).contains("Not checked any more");
    assertThat(page.getAttribute("#dice", "data-state")).isEqualTo("bad");
    assertThat(page.textContent("#verdict"))
        .contains("from the shop’s own address", "they are evidence");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void withoutWitnessesNoTimeIsCertain() throws IOException {
    TestDraw.unwitnessed(1, 8).write(folder.resolve("unwitnessed.tar"));
    TestDraw.honest(1, 8).write(folder.resolve("honest.tar"));
    Page page = open(size(800, 900), "en");
    page.click("summary");
    page.fill("#chain", String.join(" ", TestChains.NAMED));
    page.dispatchEvent("#chain", "change");
    choose(page, "bundle", "unwitnessed.tar");
    isShown(page, "ok", "good");
    assertThat(page.textContent("#mine h2")).contains("The list was sealed").doesNotContain("dice");
    assertThat(page.textContent("#mine"))
        .contains(
            "No witness confirms that they were published before the draw",
            "No witness confirms that this was before the dice were thrown")
        .doesNotContain("sealed before the dice", "nobody changed them");
    page.click(".langs [lang=zh-Hant]");
    assertThat(page.textContent("#mine")).contains("沒有見證人證明").doesNotContain("{");
    page.click(".langs [lang=zh-Hans]");
    assertThat(page.textContent("#mine")).contains("没有见证人证明").doesNotContain("{");
    page.click(".langs [lang=en]");
    choose(page, "bundle", "honest.tar");
    page.waitForSelector("#mine:has-text('sealed before the dice')");
    assertThat(page.textContent("#mine"))
        .contains("nobody changed them")
        .doesNotContain("No witness confirms");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void aRoundThatIsLateIsTold() throws IOException {
    TestDraw draw = TestDraw.cheating(1, 8, Cheat.WITHHELD);
    draw.write(folder.resolve("late.tar"));
    long round = TestChains.FIRST.timeOf(draw.rules().beacon().round());
    for (int seconds : new int[] {-1, 1}) {
      Page page = chromium.page(size(800, 900), "about:blank", "en");
      // A worker would have a clock of its own.
      page.addInitScript("delete window.Worker");
      page.clock().setFixedTime((round + seconds) * 1_000);
      page.navigate(html.toUri().toString());
      page.click("summary");
      page.fill("#chain", String.join(" ", TestChains.NAMED));
      page.dispatchEvent("#chain", "change");
      choose(page, "bundle", "late.tar");
      assertThat(verdict(page)).isEqualTo("ok");
      assertThat(page.textContent("#dice"))
          .contains(seconds < 0 ? "They are thrown on" : "They were due on");
    }
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void damagedFilesGetAVerdict() throws IOException {
    Page page = open(size(800, 600), "en");
    for (String name : List.of("honest-8", "honest-drawn", "honest-sealed")) {
      List<?> wrong =
          (List<?>)
              page.evaluate(
                  DAMAGE,
                  List.of(
                      encoded(name + ".tar"),
                      encoded(name + ".receipt.tlog-proof"),
                      chainOf(name + ".tar"),
                      7,
                      60));
      assertThat(wrong).as(name).isEmpty();
    }
    assertThat(chromium.closePages()).isEmpty();
  }

  private static String encoded(String file) throws IOException {
    return Base64.getEncoder().encodeToString(Files.readAllBytes(folder.resolve(file)));
  }

  @Test
  void aBuyerReadsTheVerdictInEachLanguageOnEachDevice() {
    record Look(String name, String locale, int width, ColorScheme scheme) {}
    for (Look look :
        List.of(
            new Look("en-phone", "en", 360, ColorScheme.LIGHT),
            new Look("hans-phone-dark", "zh-CN", 360, ColorScheme.DARK),
            new Look("hant-desktop-dark", "zh-TW", 1200, ColorScheme.DARK))) {
      Page page =
          open(
              size(look.width(), 800).setBypassCSP(true).setColorScheme(look.scheme()),
              look.locale());
      shoot(page, "verify-1-start-" + look.name());
      give(page, "honest-300.tar", "honest-300.receipt.tlog-proof");
      assertThat(page.getAttribute("#mine", "data-state")).isEqualTo("good");
      assertThat(page.getAttribute("#dice", "data-state")).isEqualTo("good");
      page.click("summary");
      shoot(page, "verify-2-light-" + look.name());
      everyone(page);
      assertThat(page.getAttribute("#all", "data-state")).isEqualTo("good");
      assertThat(page.locator(".rank").count()).isEqualTo(1);
      assertThat(barriers(page)).isEmpty();
      page.click("#dice summary");
      page.click("#mine summary");
      shoot(page, "verify-3-full-" + look.name());
      choose(page, "bundle", "cheat-dropped_entry.tar");
      choose(page, "receipt", "cheat-dropped_entry.receipt.tlog-proof");
      assertThat(verdict(page)).isEqualTo("dropped_entry");
      assertThat(barriers(page)).isEmpty();
      shoot(page, "verify-4-dropped-" + look.name());
      page.context().close();
    }
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void theKeyboardAndTheLanguageButtonsSuffice() {
    Page page = open(size(390, 800), "en");
    give(page, "honest-8.tar", "honest-8.receipt.tlog-proof");
    Chromium.tabTo(page, "Check all entries (8)");
    page.keyboard().press("Enter");
    page.waitForSelector(".rank");
    assertThat(page.evaluate("document.activeElement.id")).isEqualTo("all-title");
    page.click(".langs [lang=zh-Hant]");
    assertThat(page.textContent("h1")).isEqualTo("自己檢查這次抽籤");
    assertThat(page.textContent(".rank")).contains("第 8 位");
    assertThat(page.evaluate("document.documentElement.lang")).isEqualTo("zh-Hant");
  }

  /// Prints the time under a processor six times slower; machines differ, so nothing is asserted.
  @Test
  void theShortCheckIsTimedOnASlowProcessor() throws IOException {
    Page page = open(size(390, 800), "en");
    CDPSession session = page.context().newCDPSession(page);
    JsonObject rate = new JsonObject();
    rate.addProperty("rate", 6);
    session.send("Emulation.setCPUThrottlingRate", rate);
    Object times =
        page.evaluate(
            """
            async ([record, proof, chain]) => {
              const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
              const times = [];
              for (let i = 0; i < 3; i++) {
                const from = performance.now();
                const files = new of_files.TarFiles(new Blob([bytes(record)]));
                const check = new of_check.Check(files, { receipt: bytes(proof), chains: [chain] }, () => {});
                times.push((await check.verdict(true)).code, Math.round(performance.now() - from));
              }
              return times;
            }
            """,
            List.of(
                encoded("honest-300.tar"),
                encoded("honest-300.receipt.tlog-proof"),
                chainOf("honest-300.tar")));
    System.out.println("short check, processor slowed 6 times, verdict and ms: " + times);
    assertThat(times.toString()).startsWith("[ok, ");
  }

  @Test
  void theServedPageChecksUnderItsPolicy() {
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of())) {
      HttpResponse<String> served = server.call("GET", "/verify", "");
      assertThat(served.statusCode()).isEqualTo(200);
      assertThat(served.body()).isEqualTo(DrawVerifierPage.html());
      assertThat(served.headers().firstValue("content-security-policy").orElseThrow())
          .startsWith("default-src 'none'; script-src 'sha256-")
          .endsWith("frame-ancestors 'none'");
      Page page = chromium.page(size(800, 900), server.baseUrl(), "en");
      page.navigate("/verify");
      give(page, "honest-8.tar", "honest-8.receipt.tlog-proof");
      everyone(page);
      assertThat(verdict(page)).isEqualTo("ok");
      assertThat(page.querySelector("#no-ticket")).isNull();
      assertThat(chromium.closePages()).isEmpty();
      Page unknown = chromium.page(size(800, 900), server.baseUrl(), "en");
      unknown.navigate("/verify?draw=nothing&ticket=3");
      unknown.waitForSelector("#verdict[data-code=missing_file]");
      give(unknown, "honest-8.tar", "honest-8.receipt.tlog-proof");
      assertThat(unknown.textContent("#no-ticket")).contains("Only waiting rooms have tickets");
    }
  }
}
