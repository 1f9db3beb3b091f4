package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import fairgate.app.pages.docs.ApiDescription;
import fairgate.kernel.Decision;
import fairgate.kernel.ErrorCode;
import fairgate.platform.page.Dictionary;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The dictionaries of the visitor's pages are complete, and the pages stay small.
class DictionaryTest {
  private static final Path WEB = Path.of("..", "web");
  private static final List<Path> FEATURES =
      Stream.of("sale", "channels")
          .map(module -> Path.of("..", module, "src", "main", "resources"))
          .toList();
  private static final Pattern HOLE = Pattern.compile("\\{\\w+}");
  private static final int SCRIPT_BUDGET = 61_700;

  @Test
  void everyLanguageHasTheSameKeys() {
    for (Language language : Language.values()) {
      assertThat(Dictionary.console(language).keys())
          .as(language.tag())
          .isEqualTo(Dictionary.console(Language.EN).keys());
    }
  }

  /// Pages of others do not get texts that begin as those of a feature.
  @Test
  void keysOfAFeatureBeginUnlikeThoseOfOtherPages() throws IOException {
    YAMLMapper mapper = new YAMLMapper();
    TreeSet<String> beginnings = new TreeSet<>();
    for (Path file : ofFeatures("/texts.json")) {
      mapper
          .readTree(file.toFile())
          .path("pages")
          .fieldNames()
          .forEachRemaining(key -> beginnings.add(key.substring(0, key.indexOf('.') + 1)));
    }
    mapper
        .readTree(WEB.resolve("texts.json").toFile())
        .path("pages")
        .fieldNames()
        .forEachRemaining(key -> assertThat(beginnings).noneMatch(key::startsWith));
  }

  @Test
  void everyRefusalThatCanBeAppealedAgainstHasAnAdvice() {
    for (ErrorCode code : ErrorCode.values()) {
      if (Decision.isAppealable(code)) {
        assertThat(Dictionary.of(Language.EN).keys()).contains("appeal.help." + code.name());
      }
    }
  }

  @Test
  void everyTranslationHasTheSamePlaceholders() {
    Dictionary english = Dictionary.console(Language.EN);
    for (Language language : Language.values()) {
      for (String key : english.keys()) {
        assertThat(holes(Dictionary.console(language).text(key)))
            .as(language.tag() + " " + key)
            .isEqualTo(holes(english.text(key)));
      }
    }
  }

  /// A sentence with a number in it would need forms for one and for many.
  @Test
  void effectsOnPeopleAreNumbersBehindTheirNames() {
    Dictionary english = Dictionary.console(Language.EN);
    for (String key : english.keys()) {
      if (key.startsWith("console.live.")) {
        assertThat(english.text(key))
            .as(key)
            .doesNotContainPattern("\\{(people|ready|held)} [a-z]");
      }
    }
  }

  @Test
  void numbersOfEntriesAndTicketsStandBehindTheirNames() {
    String number = "\\{\\w+} (entries|tickets)\\b";
    Dictionary english = Dictionary.console(Language.EN);
    for (String key : english.keys()) {
      assertThat(english.text(key)).as(key).doesNotContainPattern(number);
    }
    for (String key : Messages.keys(Language.EN)) {
      if (key.startsWith("verify.")) {
        assertThat(Messages.text(Language.EN, key)).as(key).doesNotContainPattern(number);
      }
    }
  }

  @Test
  void aSpaceSeparatesADigitFromTheNextChineseCharacter() {
    Dictionary words = Dictionary.of(Language.ZH_HANT);
    assertThat(words.text("held.deadline", "time", "2:00")).contains("將在 2:00 後到期");
    assertThat(words.text("held.deadline", "time", "3 分鐘")).contains("將在 3 分鐘後到期");
    assertThat(words.text("state.opens_in", "time", "2:00")).isEqualTo("2:00 後開賣");
    assertThat(words.text("shop.mine", "place", "7")).isEqualTo("您的順位：7");
  }

  @Test
  void everyTextOfThePagesExists() throws IOException {
    Pattern inScript = Pattern.compile("\\bt\\('([a-z_.]+[a-z_])'");
    Pattern inChoice = Pattern.compile("\\bt\\([^'()]+ \\? '([a-z_.]+)' : '([a-z_.]+)'");
    Pattern inPage = Pattern.compile("\\{\\{t:([a-z_.]+)}}");
    TreeSet<String> asked = new TreeSet<>();
    TreeSet<String> byConsole = new TreeSet<>();
    for (Path file : files()) {
      String text = Files.readString(file);
      TreeSet<String> keys = isOfConsole(file) ? byConsole : asked;
      for (Pattern pattern : List.of(inScript, inPage)) {
        pattern.matcher(text).results().forEach(found -> keys.add(found.group(1)));
      }
      inChoice
          .matcher(text)
          .results()
          .forEach(found -> keys.addAll(List.of(found.group(1), found.group(2))));
    }
    assertThat(asked).hasSizeGreaterThan(50);
    assertThat(Dictionary.of(Language.EN).keys()).containsAll(asked);
    assertThat(byConsole).hasSizeGreaterThan(20);
    assertThat(Dictionary.console(Language.EN).keys()).containsAll(byConsole);
    byConsole.removeIf(key -> key.startsWith("checkin."));
    assertThat(byConsole).as("only these reach the scripts").allMatch(ConsolePage::isForBrowser);
  }

  /// The console tells of an act in a text that is named after its route.
  @Test
  void everyActOfAnOperatorIsToldInPlainWords() throws IOException {
    TreeSet<String> acts = new TreeSet<>();
    JsonNode paths = new YAMLMapper().readTree(ApiDescription.load().yaml()).path("paths");
    for (Map.Entry<String, JsonNode> path : paths.properties()) {
      if (path.getKey().startsWith("/api/admin/")) {
        String name = path.getKey().substring("/api/admin/".length());
        String route = name.replaceAll("\\{\\w+}", "_").replace('/', '.');
        for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
          acts.add("console.act." + method.getKey() + '.' + route);
        }
      }
    }
    acts.removeIf(act -> act.matches("console\\.act\\.(get|parameters)\\..*"));
    assertThat(acts).hasSizeGreaterThan(70);
    assertThat(Dictionary.console(Language.EN).keys()).containsAll(acts);
  }

  @Test
  void noScriptAsksTheBrowserForTheDecimalsOfACurrency() throws IOException {
    for (Path file : files()) {
      if (file.toString().endsWith(".js")) {
        String text = Files.readString(file);
        assertThat(text).as(file.toString()).doesNotContain("resolvedOptions().maximumFraction");
        assertThat(text.contains("style: 'currency'"))
            .as(file.toString())
            .isEqualTo(file.endsWith("text.js"));
      }
    }
  }

  @Test
  void theScriptsOfTheSalePageStayUnderTheirBudget() throws IOException {
    long total = 0;
    List<String> other =
        List.of(
            "shop.js",
            "pay.js",
            "reset.js",
            "deadline.js",
            "chart.js",
            "passkey.js",
            "step.js",
            "fingerprint.js",
            "device-key.js",
            "behavior.js");
    for (Path file : files()) {
      String name = file.getFileName().toString();
      if (file.startsWith(WEB)
          && name.endsWith(".js")
          && !name.startsWith("altcha")
          && !isOfConsole(file)
          && !other.contains(name)) {
        total += Files.size(file);
      }
    }
    assertThat(total).isLessThan(SCRIPT_BUDGET);
  }

  private static boolean isOfConsole(Path file) {
    return file.getFileName().toString().startsWith("console");
  }

  private static List<String> holes(String text) {
    return HOLE.matcher(text).results().map(MatchResult::group).sorted().toList();
  }

  /// What all pages share, and what features bring along.
  private static List<Path> files() throws IOException {
    try (Stream<Path> shared = Files.walk(WEB)) {
      return Stream.concat(shared, ofFeatures("").stream())
          .filter(file -> file.toString().endsWith(".js") || file.toString().endsWith(".html"))
          .toList();
    }
  }

  /// Files that features bring along.
  ///
  /// @param end of their paths
  private static List<Path> ofFeatures(String end) throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path home : FEATURES) {
      try (Stream<Path> files = Files.walk(home)) {
        files.filter(file -> file.toString().endsWith(end)).forEach(found::add);
      }
    }
    return found;
  }
}
