package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.kernel.ErrorCode;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.text.FeatureFiles;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The three languages say the same things.
class MessagesTest {
  private static final Pattern HOLE = Pattern.compile("\\{[^}]*}");
  private static final Pattern PROBLEM =
      Pattern.compile(
          "(?:new InvalidRequest|(?:json|body)\\.problem)\\(\\s*[^,()]+,\\s*\"([a-z0-9_]+)\"");
  private static final Pattern TEXT =
      Pattern.compile("Messages\\.text\\(\\s*[^,]+,\\s*\"([a-zA-Z0-9_.]+)\"\\s*[,)]");

  @ParameterizedTest
  @EnumSource(Language.class)
  void everyLanguageHasTheSameKeys(Language language) {
    assertThat(Messages.keys(language)).isEqualTo(Messages.keys(Language.EN));
  }

  /// Of two texts with one key, one would be ignored.
  @Test
  void everyKeyOccursOnceWithTheThreeLanguages() throws IOException {
    Map<String, List<String>> keys = new TreeMap<>();
    for (byte[] file : FeatureFiles.named("texts.json").values()) {
      for (Map.Entry<String, JsonNode> section : new ObjectMapper().readTree(file).properties()) {
        for (Map.Entry<String, JsonNode> text : section.getValue().properties()) {
          assertThat(text.getValue().fieldNames())
              .toIterable()
              .as(text.getKey())
              .containsExactly("en", "zh-Hant", "zh-Hans");
          keys.computeIfAbsent(section.getKey(), any -> new ArrayList<>()).add(text.getKey());
        }
      }
    }
    assertThat(keys).containsOnlyKeys("console", "messages", "pages");
    keys.values().forEach(of -> assertThat(of).doesNotHaveDuplicates());
    assertThat(keys.get("messages")).hasSameSizeAs(Messages.keys(Language.EN));
  }

  @ParameterizedTest
  @EnumSource(Language.class)
  void everyLanguageHasTheSamePlaceholders(Language language) {
    for (String key : Messages.keys(Language.EN)) {
      assertThat(holes(Messages.text(language, key)))
          .as(key)
          .isEqualTo(holes(Messages.text(Language.EN, key)));
    }
  }

  @Test
  void everyErrorCodeHasATextAndEveryTextACode() {
    Set<String> codes =
        Stream.of(ErrorCode.values())
            .map(code -> "error." + code.name())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(Messages.keys(Language.EN).stream().filter(key -> key.startsWith("error.")))
        .containsExactlyInAnyOrderElementsOf(codes);
  }

  @Test
  void everyKeyUsedInTheSourcesExists() {
    Set<String> missing = new TreeSet<>();
    for (Path file : Tree.main()) {
      String source = Tree.read(file);
      Stream<String> problems = found(PROBLEM, source).map(key -> "invalid." + key);
      Stream.concat(problems, found(TEXT, source))
          .filter(key -> !Messages.has(key))
          .forEach(key -> missing.add(Tree.name(file) + ": " + key));
    }
    for (JsonSyntaxException.Problem problem : JsonSyntaxException.Problem.values()) {
      assertThat(Messages.has("invalid." + problem.key())).as(problem.key()).isTrue();
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void theTextsOfTheDataModelAreKept() {
    assertThat(Messages.text(Language.ZH_HANT, "error.INVALID_TURNSTILE_TOKEN"))
        .isEqualTo("驗證未通過，請再試一次。");
    assertThat(Messages.text(Language.ZH_HANT, "error.INSUFFICIENT_STOCK")).isEqualTo("庫存不足");
    assertThat(Messages.text(Language.ZH_HANT, "success.join")).isEqualTo("已成功加入排隊區");
    assertThat(Messages.text(Language.ZH_HANT, "success.purchase")).isEqualTo("購買成功");
  }

  @Test
  void argumentsFillTheirPlaces() {
    assertThat(Messages.text(Language.EN, "invalid.out_of_range", "quantity", 1, 2))
        .isEqualTo("quantity must be between 1 and 2.");
  }

  private static Set<String> holes(String text) {
    return HOLE.matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<String> found(Pattern pattern, String source) {
    return pattern.matcher(source).results().map(match -> match.group(1));
  }
}
