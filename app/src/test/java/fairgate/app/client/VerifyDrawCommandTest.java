package fairgate.app.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import fairgate.app.Main;
import fairgate.draw.verify.Absence;
import fairgate.draw.verify.Cheat;
import fairgate.draw.verify.TestChains;
import fairgate.draw.verify.TestDraw;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerdictCode;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.text.Messages;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class VerifyDrawCommandTest {
  @TempDir private Path folder;

  private record Run(int code, String out) {
    JsonObject json() {
      return Json.parseObject(out);
    }
  }

  private static Run run(String... arguments) {
    StringWriter out = new StringWriter();
    CommandLine commandLine =
        Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(new StringWriter()));
    String[] all = new String[arguments.length + 3];
    all[0] = "verify-draw";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[arguments.length + 1] = "--chain";
    all[arguments.length + 2] = TestChains.FIRST.hash();
    int code = commandLine.execute(all);
    return new Run(code, out.toString());
  }

  private String bundle(TestDraw draw) throws IOException {
    Path file = folder.resolve("bundle.tar");
    draw.write(file);
    return file.toString();
  }

  private String receipt(TestDraw draw) throws IOException {
    Path file = folder.resolve("mine.tlog-proof");
    Files.write(file, draw.receipt());
    return file.toString();
  }

  @ParameterizedTest
  @CsvSource({"en, from the rules to the last unit", "zh-TW, 都正確", "zh-CN, 都正确"})
  void anHonestDrawIsToldInPlainWords(String language, String sentence) throws IOException {
    TestDraw draw = TestDraw.honest(1, 1000);
    Run run = run(bundle(draw), "--receipt", receipt(draw), "--lang", language);
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains(sentence).contains("✓").contains("★").doesNotContain("{0}");
  }

  @Test
  void programsGetTheVerdictAsJson() throws IOException {
    TestDraw draw = TestDraw.honest(2, 40);
    JsonObject json = run(bundle(draw), "--receipt", receipt(draw), "--json").json();
    assertThat(json.get("code")).isEqualTo("ok");
    assertThat(json.get("stage")).isEqualTo("ended");
    assertThat(json.get("seed")).isEqualTo(draw.seed().hex());
    assertThat(json.get("result_root")).isEqualTo(draw.resultRoot().hex());
    assertThat(json.get("index")).isEqualTo((long) draw.mine());
    assertThat(json.get("rank")).isInstanceOf(Long.class);
    assertThat(json.get("absent")).isNull();
  }

  @Test
  void programsCountRanksFromZero() throws IOException {
    TestDraw draw =
        first(IntStream.range(1, 200).mapToObj(i -> TestDraw.honest(i, 1)), Optional.empty());
    String receipt = receipt(draw);
    Run run = run(bundle(draw), "--receipt", receipt, "--json");
    assertThat(run.json().get("rank")).isEqualTo(0L);
    assertThat(run(bundle(draw), "--receipt", receipt, "--lang", "en").out())
        .contains("rank is 1", "Excluded: 0. Withdrawn: 0.");
  }

  @ParameterizedTest
  @CsvSource({
    "WITHDRAWN, en, was withdrawn (reason: request)",
    "EXCLUDED, en, was excluded (reason: duplicate)",
    "EXCLUDED, zh-TW, 已被排除（原因：duplicate）",
    "EXCLUDED, zh-CN, 已被排除（原因：duplicate）"
  })
  void anEntryThatTakesNoPartIsToldInPlaceOfItsRank(
      Absence.Kind kind, String language, String sentence) throws IOException {
    for (TestDraw draw : List.of(absent(kind, false), absent(kind, true))) {
      String receipt = receipt(draw);
      Run run = run(bundle(draw), "--receipt", receipt, "--lang", language);
      assertThat(run.code()).isZero();
      assertThat(run.out()).contains("! ").contains(sentence).doesNotContain("★");
      JsonObject json = run(bundle(draw), "--receipt", receipt, "--json").json();
      assertThat(json.get("absent"))
          .asInstanceOf(InstanceOfAssertFactories.type(JsonObject.class))
          .satisfies(
              it -> {
                assertThat(it.get("kind")).isEqualTo(kind.word());
                assertThat(it.get("reason")).isEqualTo(draw.absence().orElseThrow().reason());
              });
    }
  }

  private static TestDraw absent(Absence.Kind kind, boolean isOpen) {
    return first(
        IntStream.range(1, 200)
            .mapToObj(i -> isOpen ? TestDraw.abortedBeforeTheSeal(i, 8) : TestDraw.honest(i, 8)),
        Optional.of(kind));
  }

  private static TestDraw first(Stream<TestDraw> draws, Optional<Absence.Kind> kind) {
    return draws
        .filter(draw -> draw.absence().map(Absence::kind).equals(kind))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(Cheat.class)
  void aCheatEndsWithOneAndItsCode(Cheat cheat) throws IOException {
    TestDraw draw = TestDraw.cheating(3, 40, cheat);
    Run run = run(bundle(draw), "--receipt", receipt(draw), "--lang", "en");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .contains("from the shop's own address", "NOT right")
        .endsWith(cheat.code() + keyLine());
  }

  @ParameterizedTest
  @CsvSource({"en, has not published the result", "zh-TW, 尚未公布結果", "zh-CN, 尚未公布结果"})
  void aWithheldResultIsToldWithTheTimeOfItsRound(String language, String sentence)
      throws IOException {
    TestDraw draw = TestDraw.cheating(3, 8, Cheat.WITHHELD);
    long round = TestChains.FIRST.timeOf(draw.rules().beacon().round());
    Run run = run(bundle(draw), "--lang", language);
    assertThat(run.out().lines().filter(line -> line.startsWith("✗")))
        .singleElement()
        .asString()
        .contains(sentence)
        .containsOnlyOnce(Instant.ofEpochSecond(round).toString());
  }

  private static String keyLine() {
    String key = Messages.text(fairgate.platform.text.Language.EN, "verify.key");
    return System.lineSeparator() + key + System.lineSeparator();
  }

  @Test
  void theSameFilesAreReadFromAServer() throws IOException {
    TestDraw draw = TestDraw.honest(4, 300);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath().substring(1);
          String own = "draws/" + draw.id() + "/bundle";
          byte[] content = draw.files().get(path.equals(own) ? "bundle" : path);
          exchange.sendResponseHeaders(content == null ? 404 : 200, content == null ? -1 : 0);
          if (content != null) {
            exchange.getResponseBody().write(content);
          }
          exchange.close();
        });
    server.start();
    try {
      String address = "http://localhost:" + server.getAddress().getPort() + "/draws/" + draw.id();
      Run everything = run(address, "--receipt", receipt(draw), "--json");
      assertThat(everything.json().get("code")).isEqualTo("ok");
      Run light = run(address, "--receipt", receipt(draw), "--json", "--light");
      assertThat(light.json().get("code")).isEqualTo("ok");
      assertThat(light.json().get("lot")).isEqualTo(everything.json().get("lot"));
    } finally {
      server.stop(0);
    }
    Run gone = run("http://localhost:" + server.getAddress().getPort() + "/draws/x", "--json");
    assertThat(gone.code()).isEqualTo(2);
    assertThat(gone.json().get("code")).isEqualTo("unreachable");
  }

  @Test
  void filesThatCannotBeReadEndWithTwo() throws IOException {
    Path file = folder.resolve("broken.tar");
    Files.writeString(file, "not an archive", UTF_8);
    Run run = run(file.toString(), "--json");
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.json().get("code")).isEqualTo("malformed_bundle");
    assertThat(run(file.toString(), "--log-key", "nonsense").code()).isEqualTo(2);
    assertThat(run(file.toString(), "--lang", "xx").code()).isEqualTo(2);
    Run chain = run(file.toString(), "--chain", "zz", "--json");
    assertThat(chain.code()).isEqualTo(2);
    assertThat(chain.out()).doesNotContain("malformed_bundle");
  }

  @Test
  void missingFilesEndWithTwoAndTheirName() throws IOException {
    String missing = folder.resolve("missing").toString();
    for (Run run :
        List.of(
            run(missing, "--lang", "en"),
            run(bundle(TestDraw.honest(5, 8)), "--receipt", missing, "--lang", "en"))) {
      assertThat(run.code()).isEqualTo(2);
      assertThat(run.out()).contains("no such file: " + missing, "unreachable");
    }
    Run directory = run(folder.toString(), "--json");
    assertThat(directory.code()).isEqualTo(2);
    assertThat(directory.json().get("code")).isEqualTo("unreachable");
  }

  /// An option that is not used must not look as if it was.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://shop.example/q/tour --person ming",
        "https://shop.example/q/tour --light",
        "https://shop.example/draws/tour --ticket 3",
        "https://shop.example/draws/tour --epoch 1"
      })
  void optionsOfTheOtherKindOfDrawAreRefused(String arguments) {
    Run run = run(arguments.split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).doesNotContain("unreachable");
  }

  @ParameterizedTest
  @CsvSource({"en, is of another draw", "zh-TW, 屬於另一次抽籤", "zh-CN, 属于另一次抽签"})
  void aReceiptOfAnotherDrawEndsWithTwoAndNamesBoth(String language, String sentence)
      throws IOException {
    String receipt = receipt(TestDraw.honest(6, 8));
    Run run = run(bundle(TestDraw.honest(5, 8)), "--receipt", receipt, "--lang", language);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out().lines().filter(line -> line.startsWith("✗")))
        .singleElement()
        .asString()
        .contains(sentence)
        .containsOnlyOnce("shop.example/fairgate/draws/draw-6")
        .containsOnlyOnce("shop.example/fairgate/draws/draw-5");
  }

  @ParameterizedTest
  @CsvSource({"en, was not checked", "zh-TW, 未檢查您的登記", "zh-CN, 未检查您的登记"})
  void aReceiptThatWaitsForTheSealIsToldWithItsTime(String language, String sentence)
      throws IOException {
    TestDraw draw = TestDraw.abortedBeforeTheSeal(3, 8);
    Run run = run(bundle(draw), "--receipt", receipt(draw), "--lang", language);
    assertThat(run.code()).isZero();
    assertThat(run.out().lines().filter(line -> line.startsWith("!")))
        .singleElement()
        .asString()
        .contains(sentence)
        .contains(Instant.ofEpochSecond(draw.rules().sealBy()).toString());
    assertThat(run(bundle(draw), "--receipt", receipt(draw), "--json").json().get("warnings"))
        .isEqualTo(List.of("unsealed"));
  }

  /// It does not look for the report.
  @ParameterizedTest
  @CsvSource({"en, still to come", "zh-TW, 尚待", "zh-CN, 尚待"})
  void theLightCheckDoesNotSayThatAReportIsMissing(String language, String sentence)
      throws IOException {
    TestDraw draw = TestDraw.honest(5, 8);
    Run run = run(bundle(draw), "--light", "--lang", language);
    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("draw-5").doesNotContain(sentence);
    assertThat(run(bundle(draw), "--light", "--json").json().get("warnings"))
        .isEqualTo(List.of("light"));
  }

  @Test
  void anUnusableReceiptEndsWithTwo() throws IOException {
    TestDraw draw = TestDraw.honest(5, 8);
    Path receipt = folder.resolve("damaged");
    Files.write(receipt, draw.forgedReceipt());
    Run damaged = run(bundle(draw), "--receipt", receipt.toString(), "--lang", "en");
    assertThat(damaged.code()).isEqualTo(2);
    assertThat(damaged.out()).contains("cannot be used as evidence").doesNotContain("NOT right");
    Run mistyped =
        run(bundle(draw), "--receipt", receipt(draw), "--person", "persn", "--lang", "en");
    assertThat(mistyped.code()).isEqualTo(2);
    assertThat(mistyped.out()).contains("another person", "not_mine").doesNotContain("NOT right");
  }

  @Test
  void anotherLogKeyIsRefused() throws IOException {
    TestDraw draw = TestDraw.honest(5, 8);
    String other = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    Run run = run(bundle(draw), "--log-key", other, "--json");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.json().get("code")).isEqualTo("wrong_log_key");
  }

  @Test
  void everyCodeIsInThePageForBuyers() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "verify-a-draw.md"));
    for (VerdictCode code : VerdictCode.values()) {
      assertThat(page.contains('`' + code.word() + '`'))
          .as(code.word())
          .isEqualTo(code != VerdictCode.OK);
    }
  }

  @Test
  void everyCodeStageAndFindingHasItsWords() {
    for (VerdictCode code : VerdictCode.values()) {
      boolean hasWords = Messages.has("verify.code." + code.word());
      assertThat(hasWords).as(code.word()).isEqualTo(code != VerdictCode.OK);
    }
    for (Verdict.Stage stage : Verdict.Stage.values()) {
      assertThat(Messages.has("verify.ok." + stage.word())).as(stage.word()).isTrue();
    }
    assertThat(Messages.has("verify.ok.light")).isTrue();
    for (String finding :
        List.of(
            "log",
            "rules",
            "sealed",
            "list",
            "exclusions",
            "beacon",
            "fallback",
            "order",
            "allocation",
            "everybody",
            "light",
            "unsealed",
            "earlier_draw",
            "rules_unwitnessed",
            "sealed_unwitnessed")) {
      assertThat(Messages.has("verify.found." + finding)).as(finding).isTrue();
    }
  }
}
