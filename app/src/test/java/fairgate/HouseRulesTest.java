package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The conventions a machine can check.
class HouseRulesTest {
  private static final List<String> TECHNOLOGIES =
      List.of("Redis", "Postgres", "Kafka", "Embedded");
  private static final List<String> EMPTY_NAMES =
      List.of("Manager", "Helper", "Util", "Utils", "Impl", "VO", "DTO");
  private static final Set<String> CLOCKS =
      Set.of(
          "java.time.Instant.now",
          "java.time.LocalDate.now",
          "java.time.LocalDateTime.now",
          "java.time.ZonedDateTime.now",
          "java.time.OffsetDateTime.now",
          "java.time.Clock.systemUTC",
          "java.time.Clock.systemDefaultZone",
          "java.lang.System.currentTimeMillis",
          "java.util.UUID.randomUUID",
          "java.lang.Math.random");
  private static final Set<String> THREAD_STARTERS =
      Set.of(
          "Thread.ofVirtual",
          "Thread.startVirtualThread",
          "Executors.newVirtualThreadPerTaskExecutor",
          "Executors.newThreadPerTaskExecutor");
  private static final int PARAMETERS = 7;

  @Test
  void adaptersAreNotPublicOutsideThePlatform() {
    assertThat(
            names(
                type ->
                    isTopLevel(type)
                        && !type.getPackageName().startsWith("fairgate.platform.")
                        && TECHNOLOGIES.stream().anyMatch(type.getSimpleName()::startsWith)
                        && type.getModifiers().contains(JavaModifier.PUBLIC)))
        .isEmpty();
  }

  /// `app` injects them; simulated buyers are clients.
  @Test
  void timeAndIdsAreInjected() {
    Set<String> calls = new TreeSet<>();
    for (JavaClass type : Tree.Compiled.CLASSES) {
      String name = type.getPackageName();
      if (name.startsWith("fairgate.app") || name.startsWith("fairgate.crowd")) {
        continue;
      }
      for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
        String target = call.getTargetOwner().getName() + '.' + call.getName();
        // Instant.now(clock) is how an injected clock is read.
        boolean withClock = !call.getTarget().getRawParameterTypes().isEmpty();
        if (CLOCKS.contains(target) && !withClock) {
          calls.add(call.getDescription());
        }
      }
    }
    assertThat(calls).isEmpty();
  }

  /// The engines of `up` and the tools stand alone.
  @Test
  void virtualThreadsAreStartedInOnePlace() {
    Set<String> calls = new TreeSet<>();
    for (JavaClass type : Tree.Compiled.CLASSES) {
      String name = type.getPackageName();
      if (name.equals("fairgate.platform.run")
          || name.startsWith("fairgate.platform.embedded")
          || name.startsWith("fairgate.crowd")
          || name.startsWith("fairgate.prove")) {
        continue;
      }
      for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
        if (THREAD_STARTERS.contains(
            call.getTargetOwner().getSimpleName() + '.' + call.getName())) {
          calls.add(call.getDescription());
        }
      }
    }
    assertThat(calls).as("use platform.run").isEmpty();
  }

  @Test
  void staticFieldsAreFinal() {
    Set<String> fields = new TreeSet<>();
    for (JavaClass type : Tree.Compiled.CLASSES) {
      for (JavaField field : type.getFields()) {
        Set<JavaModifier> modifiers = field.getModifiers();
        if (modifiers.contains(JavaModifier.STATIC) && !modifiers.contains(JavaModifier.FINAL)) {
          fields.add(field.getFullName());
        }
      }
    }
    assertThat(fields).isEmpty();
  }

  /// The first logger settles how the program logs, and all commands are made before one is chosen.
  @Test
  void commandsMakeNoLoggerBeforeTheyAreCalled() {
    assertThat(
            names(
                type ->
                    type.isAnnotatedWith("picocli.CommandLine$Command")
                        && type.getFields().stream()
                            .anyMatch(
                                field -> field.getRawType().getName().equals("org.slf4j.Logger"))))
        .isEmpty();
  }

  @Test
  void outcomesAreSealedFamiliesOfRecords() {
    assertThat(
            names(
                type ->
                    isTopLevel(type)
                        && type.getSimpleName().endsWith("Outcome")
                        && !isSealedFamily(type.reflect())))
        .isEmpty();
  }

  @Test
  void namesSayWhatAThingIs() {
    assertThat(names(type -> EMPTY_NAMES.stream().anyMatch(type.getSimpleName()::endsWith)))
        .isEmpty();
  }

  /// Records are exempt: rows and settings have as many parts as the world gives them, and every
  /// part of a record is named where it is read.
  @Test
  void constructorsTakeAtMostSevenParameters() {
    assertThat(
            names(
                type ->
                    !type.isRecord()
                        && !type.isEnum()
                        && type.getConstructors().stream()
                            .anyMatch(c -> c.getRawParameterTypes().size() > PARAMETERS)))
        .isEmpty();
  }

  @Test
  void everyPackageIsNullMarkedAndChecksReturnValues() {
    List<String> bare = new ArrayList<>();
    for (Path file : Tree.main()) {
      Path info = file.resolveSibling("package-info.java");
      if (!Files.exists(info)) {
        bare.add(Tree.name(file));
      } else if (file.equals(info)) {
        String text = Tree.read(info);
        if (!text.contains("@NullMarked\n@CheckReturnValue\npackage ")) {
          bare.add(Tree.name(info));
        }
      }
    }
    assertThat(bare).isEmpty();
  }

  @Test
  void everyScriptIsLoadedInItsPackageAndHasItsTest() {
    List<String> tests = Tree.tests().stream().map(Tree::name).toList();
    List<String> missing = new ArrayList<>();
    for (Path script : Tree.scripts()) {
      if (script.toString().contains("/include/")) {
        continue; // Shared parts are not loaded alone.
      }
      String file = Tree.name(script);
      String folder =
          Tree.name(Objects.requireNonNull(script.getParent()))
              .replaceFirst("/src/main/resources/", "/src/main/java/");
      String literal = '"' + String.valueOf(script.getFileName()) + '"';
      if (Tree.main().stream()
          .noneMatch(
              source ->
                  Tree.name(Objects.requireNonNull(source.getParent())).equals(folder)
                      && Tree.read(source).contains(literal))) {
        missing.add("a class that loads " + file);
      }
      String type = Tree.name(script.resolveSibling(className(script)));
      String test =
          "test/java/"
              + type.substring(type.indexOf("/resources/") + "/resources/".length())
              + "Test.java";
      if (tests.stream().noneMatch(source -> source.endsWith(test))) {
        missing.add(test);
      }
      if (!Tree.read(script).startsWith("#!lua")) {
        missing.add(file + " begins with #!lua");
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void testsNeverSleep() {
    // Put together so that this file does not find itself.
    String sleep = "Thread" + ".sleep";
    assertThat(
            Stream.concat(
                    Tree.tests().stream(),
                    Tree.files(Tree.ROOT.resolve("testkit/src"), ".java").stream())
                .filter(file -> Tree.read(file).contains(sleep))
                .map(Tree::name))
        .isEmpty();
  }

  /// Packages come by name through the client of their registry, which knows the mirror to use.
  @Test
  void noFileNamesTheHostOfAPackageRegistry() {
    // The dots are added here so that this file does not match.
    List<String> hosts =
        Stream.of(
                "registry npmjs org",
                "npmjs com",
                "yarnpkg com",
                "unpkg com",
                "jsdelivr net",
                "cdnjs cloudflare com",
                "repo maven apache org",
                "repo1 maven org",
                "central sonatype com",
                "pypi org",
                "crates io",
                "rubygems org",
                "proxy golang org",
                "docker io",
                "ghcr io",
                "quay io")
            .map(host -> host.replace(' ', '.'))
            .toList();
    List<String> found = new ArrayList<>();
    for (Path file : Tree.committed()) {
      String text = Tree.readAny(file);
      hosts.stream()
          .filter(text::contains)
          .forEach(host -> found.add(Tree.name(file) + ": " + host));
    }
    assertThat(found).isEmpty();
  }

  /// `stock_batch.lua` is tested by `StockBatchScriptTest`.
  private static String className(Path script) {
    String file = String.valueOf(script.getFileName());
    StringBuilder name = new StringBuilder();
    for (String word : file.substring(0, file.length() - ".lua".length()).split("_", -1)) {
      name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
    }
    return name.append("Script").toString();
  }

  private static boolean isSealedFamily(Class<?> type) {
    if (!type.isSealed()) {
      return false;
    }
    return Stream.of(type.getPermittedSubclasses())
        .allMatch(member -> member.isRecord() || isSealedFamily(member));
  }

  private static boolean isTopLevel(JavaClass type) {
    return type.isTopLevelClass();
  }

  private static List<String> names(Predicate<JavaClass> broken) {
    return Tree.Compiled.CLASSES.stream().filter(broken).map(JavaClass::getName).sorted().toList();
  }
}
