package fairgate.app.nodes;

import fairgate.TestEngines;
import fairgate.app.MortalServer;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.KeptPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/// Nodes in processes of their own, on the same engines. Their ports are fixed from the beginning,
/// as in a proxy's configuration, whether or not the node is running.
final class Fleet implements AutoCloseable {
  private final TestEngines engines;
  private final PostgresAddress database;
  private final List<Integer> ports = new ArrayList<>();
  private final Map<Integer, MortalServer> nodes = new HashMap<>();

  Fleet(TestEngines engines, int size) {
    this.engines = engines;
    this.database = engines.freshDatabase();
    while (ports.size() < size) {
      ports.add(KeptPort.free());
    }
  }

  PostgresAddress database() {
    return database;
  }

  List<Integer> ports() {
    return List.copyOf(ports);
  }

  int port(int node) {
    return ports.get(node);
  }

  /// Starts the nodes concurrently and waits until they accept requests.
  void start(int... these) {
    List<CompletableFuture<Void>> starting = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int node : these) {
        starting.add(CompletableFuture.runAsync(() -> startOne(node), threads));
      }
    }
    starting.forEach(CompletableFuture::join);
  }

  private void startOne(int node) {
    MortalServer server =
        MortalServer.start(
            engines,
            database,
            Map.of(
                "server.port",
                Integer.toString(port(node)),
                "server.trusted_proxies",
                "127.0.0.1"));
    synchronized (nodes) {
      nodes.put(node, server);
    }
  }

  /// `kill -9`.
  void kill(int node) {
    synchronized (nodes) {
      MortalServer server = nodes.remove(node);
      if (server != null) {
        server.kill();
      }
    }
  }

  @Override
  public void close() {
    synchronized (nodes) {
      nodes.values().forEach(MortalServer::close);
    }
  }
}
