package fairgate.app;

import fairgate.app.config.FairgateConfig;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a server until the process gets a signal to end (Ctrl-C, SIGTERM), then stops everything in
/// order: the web server first, the engines last.
final class Server {
  private static final int CLOSE_SECONDS = 6;

  private Server() {}

  /// Prints the facts and `ready http://HOST:PORT`, and blocks while the server runs.
  ///
  /// @param extraFacts printed after those of the server
  /// @param engines closed last
  static int run(
      FairgateConfig config,
      Running running,
      Map<String, String> extraFacts,
      AutoCloseable engines,
      PrintWriter out)
      throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> stop(config, running, engines, stopped), "stop"));
    Map<String, String> facts = new LinkedHashMap<>(running.facts());
    facts.putAll(extraFacts);
    print(config, running, facts, out);
    stopped.await();
    return 0;
  }

  private static void print(
      FairgateConfig config, Running running, Map<String, String> facts, PrintWriter out) {
    String base = Settings.http(config).url(running.port());
    String admin = Settings.http(config).url(running.adminPort());
    int width = facts.keySet().stream().mapToInt(String::length).max().orElse(0);
    out.println();
    out.println("Fairgate " + Main.VERSION);
    facts.forEach(
        (what, value) -> {
          String gap = " ".repeat(width - what.length() + 2);
          out.println("  " + what + gap + address(base, admin, value));
        });
    out.println();
    out.println("ready " + base);
    out.flush();
  }

  private static String address(String base, String admin, String value) {
    if (value.startsWith("/console")) {
      return admin + value;
    }
    return value.startsWith("/p/") || value.equals("/") ? base + value : value;
  }

  private static void stop(
      FairgateConfig config, Running running, AutoCloseable engines, CountDownLatch stopped) {
    Logger log = LoggerFactory.getLogger(Server.class);
    int seconds = config.server().drainSeconds();
    log.info("Stopping; not ready for {} s first", seconds);
    running.leave();
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
    CompletableFuture<Void> drained = CompletableFuture.runAsync(running::close);
    try {
      drained.orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS).join();
    } catch (RuntimeException e) {
      log.warn("The web server did not stop in time", e);
    }
    try {
      engines.close();
    } catch (Exception e) {
      log.warn("Could not stop the engines cleanly", e);
    }
    log.info("Stopped");
    stopped.countDown();
  }

  /// A started server, as seen by the commands.
  interface Running extends AutoCloseable {
    /// The port on which it accepts requests.
    int port();

    /// The port on which it serves the console.
    int adminPort();

    /// The path of a one-time link for the first owner; empty when an owner can sign in. An earlier
    /// link ends. Blocks.
    Optional<String> firstOwnerLink();

    /// Facts to print for the operator, in this order: a few words and an address or name, for
    /// example `demo sale` and `/p/demo`. A value that begins with a slash is printed as a full
    /// address.
    Map<String, String> facts();

    /// Reports that it is not ready and closes connections after their replies, but serves on, so
    /// that balancers notice before it stops.
    void leave();

    /// Stops the server: refuses new requests, waits for those in flight, and closes every
    /// connection. Takes 6 s at most; the engines stop afterwards.
    @Override
    void close();
  }
}
