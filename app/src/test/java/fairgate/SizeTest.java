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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Size alarms. A file, package or method above its alarm is printed, and is a reason to look
/// whether it holds more than one idea. Only sizes that no single idea needs fail the build.
class SizeTest {
  private static final Budget FILE = new Budget("lines in a file", 350, 600);

  /// The longest is the switch over all error codes, one line each.
  private static final Budget METHOD = new Budget("lines in a method", 40, 100);

  private static final Budget PACKAGE = new Budget("files in a package", 40, 60);

  private record Budget(String what, int alarm, int limit) {
    /// Prints what is above the alarm; returns what is above the limit.
    Map<String, Integer> exceededBy(Map<String, Integer> sizes) {
      sizes.forEach(
          (name, size) -> {
            if (size > alarm) {
              System.out.printf("size alarm: %s: %d %s (%d)%n", name, size, what, alarm);
            }
          });
      Map<String, Integer> exceeded = new TreeMap<>(sizes);
      exceeded.values().removeIf(size -> size <= limit);
      return exceeded;
    }
  }

  @Test
  void filesHoldOneIdea() {
    Map<String, Integer> lines = new TreeMap<>();
    Tree.sources().forEach(file -> lines.put(Tree.name(file), Tree.lines(file)));
    assertThat(FILE.exceededBy(lines)).isEmpty();
  }

  @Test
  void methodsAreShort() throws IOException {
    assertThat(METHOD.exceededBy(methodSizes(Tree.sources()))).isEmpty();
  }

  /// `package-info.java` does not count.
  @Test
  void packagesAreSmall() {
    Map<String, Integer> files = new TreeMap<>();
    for (Path file : Tree.sources()) {
      if (!file.endsWith("package-info.java")) {
        files.merge(Tree.name(parent(file)), 1, Integer::sum);
      }
    }
    assertThat(PACKAGE.exceededBy(files)).isEmpty();
  }

  private static Path parent(Path file) {
    Path parent = file.getParent();
    return parent == null ? file : parent;
  }

  private static Map<String, Integer> methodSizes(List<Path> sources) throws IOException {
    Map<String, Integer> found = new TreeMap<>();
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
    private final Map<String, Integer> found;

    MethodSizes(CompilationUnitTree unit, SourcePositions positions, Map<String, Integer> found) {
      this.unit = unit;
      this.positions = positions;
      this.found = found;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
      long first = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, method));
      long end = positions.getEndPosition(unit, method);
      int lines = end < 0 ? 0 : (int) (unit.getLineMap().getLineNumber(end) - first + 1);
      String file = Tree.name(Path.of(unit.getSourceFile().toUri()));
      found.merge(file + " " + method.getName(), lines, Math::max);
      return super.visitMethod(method, null);
    }
  }
}
