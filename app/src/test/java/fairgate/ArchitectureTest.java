package fairgate;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The dependency table. A package that is not in it fails the build, and so does a dependency it
/// does not allow. Packages below a feature (`sale.payment`) count as the feature.
class ArchitectureTest {
  private static final String[] FEATURES = {
    "gate",
    "catalog",
    "queue",
    "sale",
    "room",
    "draw",
    "standby",
    "ticket",
    "redeem",
    "link",
    "account",
    "line",
    "operator"
  };

  /// Who may use whom, besides itself.
  ///
  /// @param uses names of rows; `platform` stands for all its parts in core
  private record Row(String name, List<String> uses) {
    static Row of(String name, String... uses) {
      return new Row(name, List.of(uses));
    }
  }

  private static final List<Row> TABLE =
      List.of(
          Row.of("kernel"),
          Row.of("platform.json", "kernel"),
          Row.of("platform.text", "kernel", "platform.json"),
          Row.of("platform.observe", "kernel"),
          Row.of("platform.run", "kernel", "platform.observe"),
          Row.of(
              "platform.http",
              "kernel",
              "platform.json",
              "platform.text",
              "platform.observe",
              "platform.run"),
          Row.of("platform.tls"),
          Row.of("platform.redis", "kernel", "platform.observe", "platform.tls"),
          Row.of("platform.lock", "kernel", "platform.observe", "platform.redis"),
          Row.of("platform.postgres", "kernel", "platform.observe", "platform.run", "platform.tls"),
          Row.of(
              "platform.events",
              "kernel",
              "platform.json",
              "platform.observe",
              "platform.run",
              "platform.redis",
              "platform.postgres"),
          Row.of(
              "platform.audit",
              "kernel",
              "platform.json",
              "platform.observe",
              "platform.run",
              "platform.postgres"),
          Row.of("platform.page", "kernel", "platform.http", "platform.json", "platform.text"),
          Row.of("platform.admin", "kernel", "platform.http", "platform.audit", "platform.lock"),
          Row.of(
              "platform.feature",
              "kernel",
              "platform.text",
              "platform.http",
              "platform.observe",
              "platform.redis",
              "platform.lock",
              "platform.postgres",
              "platform.audit",
              "platform.page"),
          Row.of("platform.embedded"),
          Row.of("gate", "kernel", "platform"),
          Row.of("catalog", "kernel", "platform"),
          Row.of("queue", "kernel", "platform", "gate", "catalog"),
          Row.of("sale", "kernel", "platform", "catalog"),
          Row.of("room", "kernel", "platform", "gate", "catalog", "queue"),
          Row.of("draw", "kernel", "platform", "catalog", "queue", "sale"),
          Row.of("standby", "kernel", "platform", "catalog", "queue", "sale"),
          Row.of("ticket", "kernel", "platform", "catalog", "sale"),
          Row.of("redeem", "kernel", "platform", "catalog", "gate", "sale", "account"),
          Row.of("link", "kernel", "platform", "gate", "account"),
          Row.of("account", "kernel", "platform"),
          Row.of("line", "kernel", "platform", "catalog", "gate", "queue", "sale", "redeem"),
          Row.of(
              "operator",
              "kernel",
              "platform",
              "catalog",
              "gate",
              "queue",
              "sale",
              "standby",
              "ticket",
              "account"),
          Row.of("crowd"),
          Row.of("prove", "platform.embedded", "crowd"),
          Row.of("app", everything()));

  /// The rows of each module. Maven lets a module use only those above it in this list.
  private static final Map<String, List<String>> ROWS_OF_MODULES =
      Map.of(
          "engines", List.of("platform.embedded"),
          "core", coreRows(),
          "gate", List.of("gate"),
          "sale", List.of("catalog", "queue", "sale", "room", "draw", "standby", "ticket"),
          "channels", List.of("account", "redeem", "link", "line"),
          "tools", List.of("crowd", "prove"),
          "app", List.of("operator", "app"));

  @Test
  void everyPackageIsInItsModule() throws IOException {
    Set<String> strays = new TreeSet<>();
    for (String module : Tree.MODULES) {
      List<String> rows = Objects.requireNonNull(ROWS_OF_MODULES.get(module), module);
      Path classes = Tree.ROOT.resolve(module + "/target/classes");
      try (Stream<Path> files = Files.walk(classes.resolve("fairgate"))) {
        files
            .filter(file -> file.toString().endsWith(".class"))
            .map(file -> classes.relativize(file.getParent()).toString().replace('/', '.'))
            .distinct()
            .filter(name -> !rows.contains(part(name)))
            .forEach(name -> strays.add(module + ": " + name));
      }
    }
    assertThat(strays).isEmpty();
  }

  @Test
  void everyPackageIsInTheTable() {
    Set<String> rows = TABLE.stream().map(Row::name).collect(Collectors.toSet());
    Set<String> strangers = new TreeSet<>();
    for (JavaClass type : Tree.Compiled.CLASSES) {
      if (!rows.contains(part(type))) {
        strangers.add(type.getPackageName());
      }
    }
    assertThat(strangers).isEmpty();
  }

  @Test
  void dependenciesFollowTheTable() {
    Set<String> forbidden = new TreeSet<>();
    for (JavaClass type : Tree.Compiled.CLASSES) {
      Set<String> allowed = allowed(part(type));
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (isOurs(target) && !allowed.contains(part(target))) {
          forbidden.add(type.getName() + " -> " + target.getName());
        }
      }
    }
    assertThat(forbidden).isEmpty();
  }

  @Test
  void packagesFormNoCycle() {
    slices().matching("fairgate.(**)").should().beFreeOfCycles().check(Tree.Compiled.CLASSES);
  }

  @Test
  void theTableItselfFormsNoCycle() {
    for (Row row : TABLE) {
      Set<String> reached = new HashSet<>();
      row(row.name()).filter(next -> !next.equals(row.name())).forEach(n -> reach(n, reached));
      assertThat(reached).as(row.name()).doesNotContain(row.name());
    }
  }

  @Test
  void onlyTheirPackagesKnowTheEngines() {
    Set<String> strays = new TreeSet<>();
    for (JavaClass type : Tree.Compiled.CLASSES) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String target = dependency.getTargetClass().getBaseComponentType().getName();
        if (isForeign(type, target)) {
          strays.add(type.getName() + " -> " + target);
        }
      }
    }
    assertThat(strays).isEmpty();
  }

  private static boolean isForeign(JavaClass type, String target) {
    if (target.startsWith("io.vertx.core.http.")) {
      return !part(type).equals("platform.http") && !part(type).equals("crowd");
    }
    if (target.startsWith("io.vertx.redis.")) {
      return !part(type).equals("platform.redis");
    }
    boolean postgres =
        Stream.of("io.vertx.pgclient.", "io.vertx.sqlclient.", "org.postgresql.", "org.flywaydb.")
            .anyMatch(target::startsWith);
    if (postgres) {
      return !part(type).equals("platform.postgres") && !isNamed(type, "Postgres");
    }
    return target.startsWith("org.apache.kafka.") && !isNamed(type, "Kafka");
  }

  private static boolean isNamed(JavaClass type, String prefix) {
    return outermost(type).getSimpleName().startsWith(prefix);
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith("fairgate.");
  }

  /// The row a class belongs to.
  private static String part(JavaClass type) {
    return part(type.getPackageName());
  }

  private static String part(String packageName) {
    String[] names = packageName.split("\\.", -1);
    if (names.length < 2) {
      return "";
    }
    return names[1].equals("platform") && names.length > 2 ? "platform." + names[2] : names[1];
  }

  private static Set<String> allowed(String part) {
    Set<String> all = row(part).collect(Collectors.toSet());
    all.add(part);
    return all;
  }

  private static Stream<String> row(String part) {
    return TABLE.stream()
        .filter(row -> row.name().equals(part))
        .flatMap(row -> row.uses().stream())
        .flatMap(ArchitectureTest::expand);
  }

  private static Stream<String> expand(String name) {
    return name.equals("platform")
        ? coreRows().stream().filter(row -> row.startsWith("platform."))
        : Stream.of(name);
  }

  private static List<String> coreRows() {
    return TABLE.stream()
        .map(Row::name)
        .filter(row -> row.equals("kernel") || row.startsWith("platform."))
        .filter(row -> !row.equals("platform.embedded"))
        .toList();
  }

  private static void reach(String part, Set<String> reached) {
    if (reached.add(part)) {
      row(part).forEach(next -> reach(next, reached));
    }
  }

  private static String[] everything() {
    return Stream.concat(
            Stream.of("kernel", "platform", "platform.embedded", "crowd", "prove"),
            Stream.of(FEATURES))
        .toArray(String[]::new);
  }
}
