package fairgate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The source tree, as the catalogue tests see it. Tests run in the folder of their module.
final class Tree {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  static final Path MAIN = ROOT.resolve("server/src/main/java");
  static final Path TEST = ROOT.resolve("server/src/test/java");
  static final Path RESOURCES = ROOT.resolve("server/src/main/resources");

  private Tree() {}

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

  /// The Java sources of every module, tests included.
  static List<Path> sources() {
    return Stream.of("server", "testkit", "crowd", "bench")
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

  static int lines(Path file) {
    return (int) read(file).lines().count();
  }

  /// The path from the root, with slashes.
  static String name(Path file) {
    return ROOT.relativize(file).toString().replace('\\', '/');
  }
}
