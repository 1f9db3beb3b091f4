package fairgate.bench.soak;

import fairgate.bench.Child;
import fairgate.bench.RawRedis;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Looks at the server, its Redis and its PostgreSQL from outside. Linux only.
final class Probe implements AutoCloseable {
  private static final Pattern USED = Pattern.compile("total \\d+K, used (\\d+)K");
  private static final double MEBI = 1024.0 * 1024;

  private final Child server;
  private final RawRedis redis;
  private final PostgresDatabase postgres;

  /// A sample; memory in MiB.
  record Sight(
      double rss,
      int files,
      int threads,
      double redisMemory,
      long redisKeys,
      long redisClients,
      int postgresConnections) {}

  Probe(Vertx vertx, Child server) throws IOException {
    this.server = server;
    this.redis = new RawRedis(server.redisSocket());
    this.postgres = PostgresDatabase.open(vertx, server.postgres());
  }

  Sight look() throws IOException {
    return new Sight(
        status("VmRSS") / 1024.0,
        files(),
        (int) status("Threads"),
        redis.info("memory", "used_memory") / MEBI,
        Long.parseLong(redis.call("DBSIZE")),
        redis.info("clients", "connected_clients"),
        connections());
  }

  /// The heap in use after a full collection, in MiB.
  double heap() throws IOException, InterruptedException {
    String _ = jcmd("GC.run");
    Matcher used = USED.matcher(jcmd("GC.heap_info"));
    double sum = 0;
    while (used.find()) {
      sum += Long.parseLong(used.group(1)) / 1024.0;
    }
    if (sum == 0) {
      throw new IOException("jcmd GC.heap_info tells no use of the heap");
    }
    return sum;
  }

  PostgresDatabase postgres() {
    return postgres;
  }

  private String jcmd(String command) throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(server.pid()),
                command)
            .redirectErrorStream(true)
            .start();
    String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!jcmd.waitFor(30, TimeUnit.SECONDS) || jcmd.exitValue() != 0) {
      throw new IOException("jcmd " + command + ": " + said);
    }
    return said;
  }

  private long status(String name) throws IOException {
    for (String line : Files.readAllLines(proc().resolve("status"))) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("no " + name + " in /proc");
  }

  int files() throws IOException {
    try (Stream<Path> open = Files.list(proc().resolve("fd"))) {
      return (int) open.count();
    }
  }

  private Path proc() {
    return Path.of("/proc", Long.toString(server.pid()));
  }

  private int connections() {
    return postgres
        .query("SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()")
        .await()
        .getFirst()
        .getInteger(0);
  }

  @Override
  public void close() throws IOException {
    redis.close();
    postgres.close();
  }
}
