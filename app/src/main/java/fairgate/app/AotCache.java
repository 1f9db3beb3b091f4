package fairgate.app;

import fairgate.platform.run.BlockingWork;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the AOT cache of later starts while `up` runs: a short `aot-training` of the same jar, in
/// a process of its own with the lowest priority. It ends with this process; an unfinished cache is
/// never used.
final class AotCache implements AutoCloseable {
  /// The launcher names the missing cache with it.
  private static final String PROPERTY = "fairgate.aot-cache";

  /// The first page of a newcomer comes first.
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(AotCache.class);

  private final Path folder;
  private @Nullable Process training;
  private boolean closed;

  private AotCache(Path folder) {
    this.folder = folder;
  }

  /// Starts the training if the launcher has asked for it.
  ///
  /// @param dataDir for the engines of the training
  static AotCache write(Path dataDir) {
    AotCache cache = new AotCache(dataDir.resolve("aot-training"));
    String file = System.getProperty(PROPERTY);
    if (file != null) {
      BlockingWork.start("aot-cache", () -> cache.train(Path.of(file)));
    }
    return cache;
  }

  /// The start of a command for another process of this program: a cache holds for processes with
  /// the same Java and the same options.
  static List<String> java() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-D" + PROPERTY))
        .forEach(command::add);
    return command;
  }

  private void train(Path file) {
    try {
      Thread.sleep(PAUSE);
      Path unfinished = file.resolveSibling(file.getFileName() + ".new");
      Process process = start(unfinished);
      if (process == null) {
        return;
      }
      int code = process.waitFor();
      if (code == 0 && Files.exists(unfinished)) {
        // Java checks the head of a cache only: a part that a power failure lost would crash it.
        try (FileChannel written = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
          written.force(true);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        LOG.info("The next start is faster: wrote {}", file);
      } else if (!isClosed()) {
        LOG.warn(
            "No AOT cache was written, so later starts are slow; it needs 190 MB beside {}; code={}",
            file,
            code);
      }
    } catch (IOException e) {
      LOG.warn("Could not write the AOT cache; later starts stay slow", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      boolean _ = Path.of(file + ".new.config").toFile().delete();
      boolean _ = Path.of(file + ".new").toFile().delete();
    }
  }

  private synchronized @Nullable Process start(Path file) throws IOException {
    if (closed) {
      return null;
    }
    List<String> command = new ArrayList<>(List.of("nice", "-n", "19"));
    command.addAll(java());
    command.addAll(
        List.of(
            "-XX:AOTCacheOutput=" + file,
            "-jar",
            System.getProperty("java.class.path"),
            "aot-training",
            "--seconds=3",
            "--folder=" + folder));
    training =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    return training;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /// Ends an unfinished training at once. What it leaves in its folder is deleted by the next one.
  @Override
  public synchronized void close() {
    closed = true;
    if (training != null) {
      training.descendants().forEach(ProcessHandle::destroyForcibly);
      Process _ = training.destroyForcibly();
    }
  }
}
