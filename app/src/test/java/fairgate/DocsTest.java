package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.pages.docs.ApiDescription;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The written pages keep what they promise, as far as a machine can tell.
class DocsTest {
  private static final int DECISION = 60;
  private static final String OPERATE = "docs/operate/";
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)(?:#[^)]*)?\\)");
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))`");
  private static final Pattern EXAMPLE = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?([A-Z][A-Z0-9_]*)\\b");
  private static final Pattern TYPE =
      Pattern.compile("^ *(?:[a-z-]+ )*(?:class|record|enum|interface) (\\w+)", Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");
  private static final Pattern METHOD = Pattern.compile("(\\w+(?:Test|IT))(?:#(\\w+))?");
  private static final Pattern DECISION_NAME = Pattern.compile("\\bADR (\\d{4})\\b");
  private static final Pattern METER = Pattern.compile("`(fairgate_\\w+)`");

  @Test
  void linksLeadSomewhere() throws IOException {
    Set<String> lost = new TreeSet<>();
    for (Path page : pages()) {
      for (MatchResult link : LINK.matcher(Tree.read(page)).results().toList()) {
        String target = link.group(1);
        if (!target.contains("://") && !Files.exists(page.resolveSibling(target))) {
          lost.add(Tree.name(page) + " -> " + target);
        }
      }
    }
    assertThat(lost).isEmpty();
  }

  /// An example that uses `$TOKEN` is no command until the page says what that is.
  @Test
  void examplesDefineTheirVariables() throws IOException {
    Set<String> undefined = new TreeSet<>();
    for (Path page : pages()) {
      String text = Tree.read(page);
      for (MatchResult example : EXAMPLE.matcher(text).results().toList()) {
        String before = text.substring(0, example.end());
        VARIABLE
            .matcher(example.group(1))
            .results()
            .map(variable -> variable.group(1))
            .filter(name -> !name.startsWith("FAIRGATE_"))
            .filter(name -> !Pattern.compile("\\b" + name + "=").matcher(before).find())
            .forEach(name -> undefined.add(Tree.name(page) + " " + name));
      }
    }
    assertThat(undefined).isEmpty();
  }

  @Test
  void testsThatAreNamedExist() throws IOException {
    Set<String> known =
        Tree.tests().stream()
            .map(file -> String.valueOf(file.getFileName()).replace(".java", ""))
            .collect(Collectors.toSet());
    Set<String> named = new TreeSet<>();
    for (String page :
        List.of(
            "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/invariants.md", OPERATE + "README.md")) {
      TEST.matcher(Tree.read(Tree.ROOT.resolve(page)))
          .results()
          .map(match -> match.group(1))
          .filter(name -> !name.startsWith("Xxx") && !name.startsWith("Name"))
          .forEach(named::add);
    }
    assertThat(named).isNotEmpty();
    named.removeAll(known);
    assertThat(named).isEmpty();
  }

  @Test
  void eachPageForOperatorsIsFollowedByATest() throws IOException {
    List<String> rows =
        Tree.read(Tree.ROOT.resolve(OPERATE + "README.md"))
            .lines()
            .filter(line -> line.startsWith("| ["))
            .toList();
    List<String> followed =
        rows.stream()
            .filter(row -> TEST.matcher(row).find())
            .flatMap(row -> LINK.matcher(row).results())
            .map(link -> link.group(1))
            .toList();
    try (Stream<Path> files = Files.list(Tree.ROOT.resolve(OPERATE))) {
      assertThat(followed)
          .containsExactlyInAnyOrderElementsOf(
              files
                  .map(file -> String.valueOf(file.getFileName()))
                  .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
                  .toList());
    }
  }

  @Test
  void decisionsAreShortAndListed() throws IOException {
    String index = Tree.read(Tree.ROOT.resolve("docs/adr/README.md"));
    for (Path decision : decisions()) {
      String file = String.valueOf(decision.getFileName());
      assertThat(Tree.read(decision)).startsWith("# " + file.substring(0, 4) + " ");
      assertThat(Tree.lines(decision)).as(file).isLessThanOrEqualTo(DECISION);
      assertThat(index).contains("](" + file + ")");
    }
  }

  @Test
  void decisionsThatAreNamedExist() throws IOException {
    List<String> numbers =
        decisions().stream()
            .map(decision -> String.valueOf(decision.getFileName()).substring(0, 4))
            .toList();
    assertThat(numbers).isNotEmpty().doesNotHaveDuplicates();
    Set<String> lost = new TreeSet<>();
    for (Path file : Stream.of(pages(), Tree.main(), Tree.tests()).flatMap(List::stream).toList()) {
      DECISION_NAME
          .matcher(Tree.read(file))
          .results()
          .map(name -> name.group(1))
          .filter(number -> !numbers.contains(number))
          .forEach(number -> lost.add(Tree.name(file) + " " + number));
    }
    assertThat(lost).isEmpty();
  }

  private static List<Path> decisions() throws IOException {
    try (Stream<Path> files = Files.list(Tree.ROOT.resolve("docs/adr"))) {
      return files.filter(file -> Tree.name(file).matches(".*/\\d{4}-.*\\.md")).toList();
    }
  }

  /// Prometheus' names, one or more in a row: dots become underlines, timers and counters get their
  /// endings.
  @Test
  void metersThatAreListedAreCounted() throws IOException {
    String code = Tree.main().stream().map(Tree::read).collect(Collectors.joining("\n"));
    Set<String> listed = new TreeSet<>();
    Tree.read(Tree.ROOT.resolve("docs/operate/metrics.md"))
        .lines()
        .filter(line -> line.startsWith("| `"))
        .flatMap(line -> METER.matcher(line.split("\\|", 3)[1]).results())
        .forEach(match -> listed.add(match.group(1)));
    assertThat(listed).isNotEmpty();
    assertThat(listed).allMatch(name -> isCounted(name, code));
  }

  private static boolean isCounted(String name, String code) {
    String bare = name.replaceAll("_(total|seconds)$", "");
    return Stream.of(name, bare, bare.replace('_', '.'), name.replace('_', '.'))
        .anyMatch(written -> code.contains('"' + written + '"'));
  }

  /// Every name in the column "where" of the page about the seeds is one of the project.
  @Test
  void theSeedsAreWhereThePageSays() {
    Names names = Names.read();
    Set<String> lost = new TreeSet<>();
    int rows = 0;
    for (String line : Tree.read(Tree.ROOT.resolve("docs/seeds.md")).lines().toList()) {
      if (!line.startsWith("| ") || line.startsWith("| requirement |")) {
        continue;
      }
      String[] cells = line.split("\\|", -1);
      assertThat(cells).as(line).hasSize(5);
      assertThat(cells[2].contains("`") || cells[3].contains("Missing")).as(line).isTrue();
      rows++;
      NAME.matcher(cells[2])
          .results()
          .map(match -> match.group(1))
          .filter(name -> !names.have(name))
          .forEach(lost::add);
    }
    assertThat(rows).isGreaterThan(211);
    assertThat(lost).isEmpty();
  }

  /// What a page can name.
  ///
  /// @param tests sources by name of the class
  /// @param files names of types and scripts
  /// @param pages the pages that list settings, keys, metrics, routes and fields of policies
  private record Names(Map<String, String> tests, Set<String> files, String pages) {
    static Names read() {
      return new Names(
          Tree.tests().stream()
              .collect(Collectors.toMap(Names::file, Tree::read, (one, other) -> one + other)),
          Stream.concat(
                  Tree.main().stream()
                      .flatMap(file -> TYPE.matcher(Tree.read(file)).results())
                      .map(match -> match.group(1)),
                  Tree.scripts().stream().map(Names::file))
              .collect(Collectors.toSet()),
          Stream.of(
                      OPERATE + "config.md",
                      OPERATE + "metrics.md",
                      OPERATE + "limits.md",
                      "docs/redis-keys.md")
                  .map(page -> Tree.read(Tree.ROOT.resolve(page)))
                  .collect(Collectors.joining("\n", "", "\n"))
              + new String(ApiDescription.load().yaml(), StandardCharsets.UTF_8));
    }

    private static String file(Path path) {
      return String.valueOf(path.getFileName()).replace(".java", "");
    }

    boolean have(String name) {
      Matcher test = METHOD.matcher(name);
      if (test.matches()) {
        String source = tests.getOrDefault(test.group(1), "");
        return test.group(2) == null
            ? !source.isEmpty()
            : source.contains("void " + test.group(2) + "(");
      }
      if (name.startsWith("policy.")) {
        return pages.contains("\n        " + name.substring("policy.".length()) + ":");
      }
      return files.contains(name)
          || pages.contains("`" + name + "`")
          || (name.contains("/") && Files.exists(Tree.ROOT.resolve(name)));
    }
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(Tree.ROOT);
        Stream<Path> docs = Files.walk(Tree.ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }
}
