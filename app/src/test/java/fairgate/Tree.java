package fairgate;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The source tree, as the catalogue tests see it. Tests run in the folder of their module.
public final class Tree {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /// The modules of the product, each before those that may use it.
  static final List<String> MODULES =
      List.of("engines", "core", "gate", "sale", "channels", "tools", "app");

  private static final Set<String> IGNORED =
      Set.of(".git", "target", "data", "node_modules", ".idea", ".vscode", ".DS_Store");

  private Tree() {}

  /// The compiled classes of the product. Reading them takes seconds, so only who asks for them
  /// pays.
  static final class Compiled {
    static final JavaClasses CLASSES =
        new ClassFileImporter()
            .importPaths(
                MODULES.stream().map(module -> ROOT.resolve(module + "/target/classes")).toList());

    private Compiled() {}
  }

  /// The Java sources of the product.
  public static List<Path> main() {
    return filesOf(MODULES, "src/main/java", ".java");
  }

  /// The Java sources of the product's tests.
  static List<Path> tests() {
    return filesOf(MODULES, "src/test/java", ".java");
  }

  static List<Path> scripts() {
    return filesOf(MODULES, "src/main/resources", ".lua");
  }

  private static List<Path> filesOf(List<String> modules, String folder, String ending) {
    return modules.stream()
        .flatMap(module -> files(ROOT.resolve(module).resolve(folder), ending).stream())
        .toList();
  }

  /// Every file under a folder with this ending, sorted; none when there is no such folder.
  static List<Path> files(Path folder, String ending) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Every file of the repository: those that `.gitignore` excludes are left out.
  static List<Path> committed() {
    List<Path> files = new ArrayList<>();
    collect(ROOT, files);
    return files;
  }

  private static void collect(Path folder, List<Path> files) {
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(folder, entry -> !isIgnored(entry))) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry)) {
          collect(entry, files);
        } else {
          files.add(entry);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isIgnored(Path entry) {
    return IGNORED.contains(String.valueOf(entry.getFileName())) || name(entry).equals(".ci/cache");
  }

  /// The Java sources of every module, tests included.
  static List<Path> sources() {
    return Stream.concat(MODULES.stream(), Stream.of("testkit", "bench"))
        .flatMap(module -> files(ROOT.resolve(module).resolve("src"), ".java").stream())
        .toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The bytes of a file that may be no text, a character each.
  static String readAny(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int lines(Path file) {
    return (int) read(file).lines().count();
  }

  /// The path from the root, with slashes.
  static String name(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }
}
