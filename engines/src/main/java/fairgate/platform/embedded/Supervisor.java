package fairgate.platform.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps an engine running: stops processes of an earlier server, starts the engine, restarts it
/// when it dies (after 0.1 s, doubling up to 10 s), and stops it.
final class Supervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
  private static final String SCRIPT = script();
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  /// An engine that ran for this long is restarted with the first pause again.
  private static final Duration STABLE_AFTER = Duration.ofSeconds(1);

  private static final int LOG_LIMIT = 10 << 20;
  private static final int MAX_LOG_TAIL = 2_000;

  /// A shell adds this to the number of the signal that ended a program.
  private static final int SIGNAL_EXIT_CODE = 128;

  private final Engine engine;
  private final Path log;
  private final Duration startLimit;
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile Process process;

  private Supervisor(Engine engine, Path logs, Duration startLimit) throws IOException {
    this.engine = engine;
    this.log = logs.resolve(engine.name() + ".log");
    this.startLimit = startLimit;
    this.process = launch();
  }

  /// Starts the engine and returns when it responds.
  ///
  /// @throws EngineFailed when it does not, with the end of its log
  static Supervisor start(Engine engine, Path logs, Duration startLimit) throws IOException {
    Supervisor supervisor = new Supervisor(engine, logs, startLimit);
    Thread.ofVirtual().name("watch-" + engine.name()).start(supervisor::watch);
    return supervisor;
  }

  /// The pid of the engine itself, not of its supervisor. Throws EngineFailed while it is down.
  long pid() {
    return engine
        .processes()
        .mapToLong(ProcessHandle::pid)
        .findFirst()
        .orElseThrow(() -> new EngineFailed(engine.name() + " is down"));
  }

  private Process launch() throws IOException {
    stopLeftovers();
    long logStart = rotate();
    List<String> command = new ArrayList<>();
    command.addAll(List.of("bash", "-c", SCRIPT, "fairgate-supervise"));
    command.addAll(List.of(engine.stopSignal(), log.toString()));
    command.addAll(engine.command());
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(Shell.ROOT)
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> !name.equals("PATH"));
    environment.put("LC_ALL", "C");
    Process started = builder.start();
    try {
      awaitReady(started, logStart);
      return started;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop(started);
      throw new EngineFailed("interrupted while " + engine.name() + " was starting", e);
    } catch (EngineFailed e) {
      stop(started);
      throw e;
    }
  }

  private void awaitReady(Process started, long logStart) throws InterruptedException, IOException {
    long deadline = System.nanoTime() + startLimit.toNanos();
    while (!engine.isReady()) {
      if (started.waitFor(5, TimeUnit.MILLISECONDS)) {
        throw new EngineFailed(ended(started.exitValue(), tail(logStart)));
      }
      if (System.nanoTime() > deadline) {
        throw new EngineFailed(
            "%s is still not ready after %s; see %s".formatted(engine.name(), startLimit, log));
      }
    }
  }

  private String ended(int code, String tail) {
    if (!tail.isEmpty()) {
      return "%s does not start; its log %s ends with:\n%s".formatted(engine.name(), log, tail);
    }
    int signal = code - SIGNAL_EXIT_CODE;
    return "%s does not start: it ended with %s and wrote nothing to its log %s. Run it by hand to see why: %s"
        .formatted(
            engine.name(),
            signal > 0 ? "signal " + signal : "exit code " + code,
            log,
            commandLine());
  }

  private String commandLine() {
    try {
      return String.join(" ", engine.command());
    } catch (IOException e) {
      return "(no command: " + e.getMessage() + ")";
    }
  }

  private void watch() {
    Duration pause = FIRST_PAUSE;
    try {
      while (true) {
        long since = System.nanoTime();
        int code = process.waitFor();
        if (closing.getCount() == 0) {
          return;
        }
        if (System.nanoTime() - since > STABLE_AFTER.toNanos()) {
          pause = FIRST_PAUSE;
        }
        LOG.warn(
            "Engine exited; restarting; engine={} exitCode={} log={}", engine.name(), code, log);
        do {
          if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
            return;
          }
          pause = longer(pause);
        } while (!restarted());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(MAX_PAUSE) < 0 ? twice : MAX_PAUSE;
  }

  private synchronized boolean restarted() {
    if (closing.getCount() == 0) {
      return true;
    }
    try {
      process = launch();
      LOG.info("Engine restarted; engine={}", engine.name());
      return true;
    } catch (IOException | EngineFailed e) {
      LOG.error("Could not restart an engine; engine={}", engine.name(), e);
      return false;
    }
  }

  /// Stops processes of an earlier server on the same data, gracefully if possible.
  private void stopLeftovers() {
    for (ProcessHandle leftover : engine.processes().toList()) {
      LOG.warn(
          "Stopping a process of an earlier run; engine={} pid={}", engine.name(), leftover.pid());
      String pid = Long.toString(leftover.pid());
      Shell.Result signal =
          Shell.run(List.of("bash", "-c", "kill -s $0 $1", engine.stopSignal(), pid));
      boolean gone = signal.ok() && isGone(leftover, STOP_LIMIT);
      if (!gone && !(leftover.destroyForcibly() && isGone(leftover, STOP_LIMIT))) {
        throw new EngineFailed(
            "Process " + pid + " still uses " + engine.data() + " and does not stop.");
      }
    }
  }

  private static boolean isGone(ProcessHandle process, Duration limit) {
    return process
        .onExit()
        .thenApply(_ -> true)
        .completeOnTimeout(false, limit.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /// Rotates a log of 10 MB or more, keeping one old file. Returns the offset at which the next
  /// start writes.
  private long rotate() throws IOException {
    if (!Files.exists(log)) {
      return 0;
    }
    if (Files.size(log) < LOG_LIMIT) {
      return Files.size(log);
    }
    Files.move(
        log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
    return 0;
  }

  private String tail(long from) throws IOException {
    if (!Files.exists(log)) {
      return "";
    }
    byte[] all;
    try (InputStream in = Files.newInputStream(log)) {
      in.skipNBytes(from);
      all = in.readAllBytes();
    }
    int length = Math.min(all.length, MAX_LOG_TAIL);
    return new String(all, all.length - length, length, StandardCharsets.UTF_8).strip();
  }

  private static void stop(Process supervised) {
    try {
      supervised.getOutputStream().close();
      if (!supervised.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        supervised.destroyForcibly();
      }
    } catch (IOException e) {
      LOG.debug("The supervisor's pipe was already closed", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Stops the engine gracefully; kills it after 8 s. A repeat has no effect.
  @Override
  public void close() {
    closing.countDown();
    synchronized (this) {
      stop(process);
    }
  }

  private static String script() {
    try (InputStream in = Supervisor.class.getResourceAsStream("supervise.sh")) {
      if (in == null) {
        throw new IllegalStateException("supervise.sh is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
