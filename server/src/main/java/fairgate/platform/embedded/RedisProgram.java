package fairgate.platform.embedded;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Looks whether this machine has a Redis that does what ours does, and does it faster.
///
/// The bundled program runs everywhere because it needs no library of the system, not even its
/// memory allocator; one with jemalloc needs half the processor time for the same script. Only the
/// bundled release line is taken: a later one may write files the bundled program cannot read when
/// the other is removed.
final class RedisProgram {
  private static final String NAME = "redis-server";
  private static final List<String> USUAL =
      List.of("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin");
  private static final Pattern VERSION =
      Pattern.compile("v=7\\.0\\.(\\d{1,4})\\b.*malloc=jemalloc");
  private static final int BUNDLED_PATCH = 15;

  private RedisProgram() {}

  /// The first that fits in the folders programs are looked for in; empty when there is none.
  ///
  /// @param path folders as in `PATH`; may be empty
  static Optional<Path> find(String path, EngineUser user) {
    Set<String> folders = new LinkedHashSet<>(List.of(path.split(":", -1)));
    folders.addAll(USUAL);
    return folders.stream()
        .filter(folder -> folder.startsWith("/"))
        .flatMap(folder -> program(folder).stream())
        .filter(program -> fits(program, user))
        .findFirst();
  }

  private static Optional<Path> program(String folder) {
    try {
      // As it is named: one file may be several programs and go by its name.
      Path program = Path.of(folder, NAME);
      return Files.isExecutable(program) ? Optional.of(program) : Optional.empty();
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }

  private static boolean fits(Path program, EngineUser user) {
    Shell.Result said = Shell.run(user.command(List.of(program.toString(), "--version")));
    Matcher version = VERSION.matcher(said.output());
    return said.ok() && version.find() && Integer.parseInt(version.group(1)) >= BUNDLED_PATCH;
  }
}
