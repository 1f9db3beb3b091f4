package fairgate.platform.embedded;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A program that can serve as the Redis of `up`: bundled or installed on this machine.
///
/// The bundled program runs everywhere, because it needs no library of the system. But its release
/// gets no security fixes, and its memory allocator costs twice the processor time for the same
/// script.
///
/// @param bundled whether it was unpacked from the jar
record RedisProgram(Path path, RedisRelease release, boolean bundled) {
  private static final Logger LOG = LoggerFactory.getLogger(RedisProgram.class);
  private static final List<String> NAMES = List.of("valkey-server", "redis-server");
  private static final Duration VERSION_LIMIT = Duration.ofSeconds(5);

  /// The supported programs in these folders. All are started in parallel to read their versions;
  /// one that does not respond within 5 s is left out.
  ///
  /// @param folders as in `PATH`; may be empty
  static List<RedisProgram> installed(String folders, EngineUser user) {
    List<CompletableFuture<Optional<RedisProgram>>> answers =
        new LinkedHashSet<>(List.of(folders.split(":", -1)))
            .stream()
                .filter(folder -> folder.startsWith("/"))
                .flatMap(RedisProgram::programs)
                .map(
                    path ->
                        CompletableFuture.supplyAsync(
                            () -> ask(path, user), EmbeddedEngines.THREADS))
                .toList();
    return answers.stream().flatMap(answer -> answer.join().stream()).toList();
  }

  /// The newest program that can read the data of all these releases. Of two equal releases the
  /// installed one is preferred, because the distribution may have patched it.
  ///
  /// @param installed in order of preference
  /// @param writers the releases that wrote the data; empty without data
  /// @param data the data folder, for the message
  /// @throws EngineFailed when no program reads the data
  static RedisProgram choose(
      RedisProgram bundled, List<RedisProgram> installed, List<RedisRelease> writers, Path data) {
    List<RedisProgram> programs = new ArrayList<>(installed);
    programs.add(bundled);
    return programs.stream()
        .filter(program -> writers.stream().allMatch(program.release::reads))
        // The first of equal releases.
        .reduce((best, next) -> newer(next, best) ? next : best)
        .orElseThrow(() -> new EngineFailed(unreadable(programs, writers, data)));
  }

  private static boolean newer(RedisProgram one, RedisProgram other) {
    return RedisRelease.AGE.compare(one.release, other.release) > 0;
  }

  private static String unreadable(
      List<RedisProgram> programs, List<RedisRelease> writers, Path data) {
    RedisRelease writer = writers.stream().max(RedisRelease.AGE).orElseThrow();
    String here = programs.stream().map(RedisProgram::words).collect(Collectors.joining(", "));
    return ("The Redis data in %s was last written by %s, which none of the programs here can read:"
            + " %s. Install %s %d.%d or later, and leave redis.program at auto; or restore a backup"
            + " of the data folder from before %s was used.")
        .formatted(
            data, writer, here, writer.program(), writer.major(), writer.minor(), writer.engine());
  }

  /// The release and the source of the program, for messages.
  String words() {
    return "%s (%s)".formatted(release, bundled ? "bundled" : path);
  }

  private static Stream<Path> programs(String folder) {
    try {
      // The path is not resolved: one file may be several programs, distinguished by name.
      List<Path> paths = NAMES.stream().map(name -> Path.of(folder, name)).toList();
      return paths.stream().filter(Files::isExecutable);
    } catch (InvalidPathException _) {
      return Stream.empty();
    }
  }

  private static Optional<RedisProgram> ask(Path path, EngineUser user) {
    Shell.Result result =
        Shell.run(user.command(List.of(path.toString(), "--version")), VERSION_LIMIT);
    if (result.timedOut()) {
      LOG.warn(
          "{} does not tell its version within {} s; not used", path, VERSION_LIMIT.toSeconds());
    }
    return result.ok()
        ? RedisRelease.parse(result.output())
            .filter(RedisRelease::supported)
            .map(release -> new RedisProgram(path, release, false))
        : Optional.empty();
  }
}
