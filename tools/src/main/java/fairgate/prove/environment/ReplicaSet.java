package fairgate.prove.environment;

import fairgate.platform.embedded.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A primary Redis with two replicas. The primary can be killed, and the replica with the most data
/// takes its place, as Sentinel does it. Replicas read from the primary through a proxy, so what is
/// on its way to them can be lost with the primary.
public final class ReplicaSet implements AutoCloseable {
  private static final int SERVERS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long END_SECONDS = 20;

  /// Kills the server as soon as its input ends: when it is closed, or when we die.
  private static final String SCRIPT =
      """
      exec 3<&0
      "$@" 3<&- </dev/null &
      server=$!
      (read -r _ <&3; kill -s KILL "$server") &
      watcher=$!
      wait "$server"
      kill -s KILL "$watcher"
      """;

  private final List<Server> servers;
  private final TcpProxy stream;
  private volatile Server primary;

  private ReplicaSet(Path program, Path folder) throws IOException {
    List<Server> all = new ArrayList<>();
    for (int i = 1; i <= SERVERS; i++) {
      all.add(new Server(program, Files.createDirectories(folder.resolve("replica-" + i))));
    }
    this.servers = List.copyOf(all);
    this.primary = servers.getFirst();
    this.stream = TcpProxy.open(() -> primary.socket());
  }

  /// Starts all; returns when the primary accepts writes, which takes a connected replica.
  static ReplicaSet start(Path program, Path folder) throws IOException {
    ReplicaSet set = new ReplicaSet(program, folder);
    try {
      set.primary.start(Optional.empty());
      for (Server server : set.servers) {
        if (server != set.primary) {
          server.start(Optional.of(set.stream.port()));
        }
      }
      set.awaitReplica();
      return set;
    } catch (IOException | RuntimeException e) {
      set.close();
      throw e;
    }
  }

  /// Where the primary is, whether it runs or not.
  SocketAddress primary() {
    return primary.socket();
  }

  /// From now on nothing reaches a replica.
  public void holdStream() {
    stream.holdReplies();
  }

  /// `kill -9` of the primary; what was on its way to the replicas is lost.
  public void killPrimary() {
    primary.kill();
    stream.drop();
    stream.flow();
  }

  /// Makes the replica with the most data the primary, and starts the dead server again as a
  /// replica of it. Returns when writes are accepted.
  public void promote() throws IOException {
    Server dead = primary;
    Server next =
        servers.stream()
            .filter(server -> server != dead)
            .max(Comparator.comparingLong(Server::offset))
            .orElseThrow();
    try (Resp redis = Resp.open(next.socket())) {
      Object _ = redis.value("REPLICAOF", "NO", "ONE");
    }
    primary = next;
    stream.drop();
    dead.start(Optional.of(stream.port()));
    awaitReplica();
  }

  private void awaitReplica() {
    Waiting.until("a replica", PATIENCE, () -> primary.info("min_slaves_good_slaves") > 0);
  }

  @Override
  public void close() {
    servers.forEach(Server::kill);
    stream.close();
  }

  /// One Redis.
  private static final class Server {
    private final Path program;
    private final Path folder;
    private final int port = FreePort.find();
    private @Nullable Process process;

    Server(Path program, Path folder) {
      this.program = program;
      this.folder = folder.toAbsolutePath();
    }

    SocketAddress socket() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /// @param source the port to replicate from; empty for a primary
    void start(Optional<Integer> source) throws IOException {
      Path settings = folder.resolve("redis.conf");
      Files.writeString(
          settings,
          """
          port %d
          bind 127.0.0.1
          dir "%s"
          save ""
          appendonly yes
          appendfsync everysec
          maxmemory-policy noeviction
          min-replicas-to-write 1
          min-replicas-max-lag 10
          repl-diskless-sync-delay 0
          repl-ping-replica-period 1
          logfile "%s"
          %s
          """
              .formatted(
                  port,
                  folder,
                  folder.resolve("redis.log"),
                  source.map(from -> "replicaof 127.0.0.1 " + from).orElse("")));
      process =
          new ProcessBuilder(
                  "bash", "-c", SCRIPT, "replica", program.toString(), settings.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      Waiting.until("a Redis of the replica set", PATIENCE, this::answers);
    }

    private boolean answers() {
      try (Resp redis = Resp.open(socket())) {
        return "PONG".equals(redis.call("PING"));
      } catch (IOException _) {
        return false;
      }
    }

    /// A number of `INFO replication`; -1 when it is missing or the server is dead.
    long info(String field) {
      try (Resp redis = Resp.open(socket())) {
        return String.valueOf(redis.call("INFO", "replication"))
            .lines()
            .filter(line -> line.startsWith(field + ":"))
            .mapToLong(line -> Long.parseLong(line.substring(field.length() + 1).strip()))
            .findFirst()
            .orElse(-1);
      } catch (IOException _) {
        return -1;
      }
    }

    long offset() {
      return info("slave_repl_offset");
    }

    void kill() {
      Process running = process;
      if (running == null) {
        return;
      }
      process = null;
      try {
        running.getOutputStream().close();
        if (!running.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          running.destroyForcibly();
        }
      } catch (IOException _) {
        running.destroyForcibly();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
      Waiting.until("the end of a Redis", PATIENCE, () -> !answers());
    }
  }
}
