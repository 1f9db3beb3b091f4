package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Operations on folders.
final class Folders {
  private Folders() {}

  /// Creates a folder that only its owner may enter, or restricts an existing one.
  static Path ownersOnly(Path folder) throws IOException {
    Files.createDirectories(folder);
    return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
  }

  /// Creates a data folder that only its owner may list; an existing folder stays unchanged. For
  /// root, others may pass through it, because the engines run as another user.
  static void dataFolder(Path folder, boolean root) throws IOException {
    if (Files.exists(folder)) {
      return;
    }
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(
        folder, PosixFilePermissions.fromString(root ? "rwx--x--x" : "rwx------"));
  }

  /// Deletes a folder with its content without following links. Has no effect if it does not exist.
  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(folder)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }
}
