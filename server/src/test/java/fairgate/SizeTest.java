package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The budgets: 300 lines a file, 40 a method, 30 files a package, 80 lines a script.
class SizeTest {
  private static final int FILE = 300;
  private static final int METHOD = 40;
  private static final int PACKAGE = 30;
  private static final int SCRIPT = 80;

  /// One table, a line for each error code: the compiler asks for all of them in one place.
  private static final Set<String> LONG_METHODS =
      Set.of("server/src/main/java/fairgate/platform/http/StatusOf.java code");

  @Test
  void noFileIsLongerThan300Lines() {
    assertThat(Tree.sources().stream().filter(f -> Tree.lines(f) > FILE).map(SizeTest::sized))
        .isEmpty();
  }

  @Test
  void noMethodIsLongerThan40Lines() throws IOException {
    assertThat(
            longMethods(Tree.sources()).stream()
                .filter(method -> !LONG_METHODS.contains(method.replaceAll(": \\d+$", ""))))
        .isEmpty();
  }

  /// `package-info.java` does not count.
  @Test
  void noPackageHoldsMoreThan30Files() {
    Map<String, Integer> files = new TreeMap<>();
    for (Path file : Tree.sources()) {
      if (!file.endsWith("package-info.java")) {
        files.merge(Tree.name(parent(file)), 1, Integer::sum);
      }
    }
    files.values().removeIf(count -> count <= PACKAGE);
    assertThat(files).isEmpty();
  }

  @Test
  void noScriptIsLongerThan80Lines() {
    assertThat(
            Tree.files(Tree.RESOURCES, ".lua").stream()
                .filter(f -> Tree.lines(f) > SCRIPT)
                .map(SizeTest::sized))
        .isEmpty();
  }

  private static String sized(Path file) {
    return Tree.name(file) + ": " + Tree.lines(file);
  }

  private static Path parent(Path file) {
    Path parent = file.getParent();
    return parent == null ? file : parent;
  }

  private static List<String> longMethods(List<Path> sources) throws IOException {
    List<String> found = new ArrayList<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, null, null, files.getJavaFileObjectsFromPaths(sources));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        Void _ = new MethodSizes(unit, positions, found).scan(unit, null);
      }
    }
    return found;
  }

  /// Measures every method, from its annotations to its closing brace.
  private static final class MethodSizes extends TreeScanner<@Nullable Void, @Nullable Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> found;

    MethodSizes(CompilationUnitTree unit, SourcePositions positions, List<String> found) {
      this.unit = unit;
      this.positions = positions;
      this.found = found;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
      long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method));
      long end = positions.getEndPosition(unit, method);
      long lines = end < 0 ? 0 : unit.getLineMap().getLineNumber(end) - first + 1;
      if (lines > METHOD) {
        found.add(
            Tree.name(Path.of(unit.getSourceFile().toUri()))
                + " "
                + method.getName()
                + ": "
                + lines);
      }
      return super.visitMethod(method, null);
    }
  }
}
