package fairgate.prove.environment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// The engines and server nodes of one proof, with the record of injected faults.
public final class ProofEnvironment implements AutoCloseable {
  private final Engines engines;
  private final List<Node> nodes;
  private final RunLog runLog;

  private ProofEnvironment(Engines engines, List<Node> nodes, RunLog runLog) {
    this.engines = engines;
    this.nodes = nodes;
    this.runLog = runLog;
  }

  /// Nodes as processes of this very program.
  public static Launcher processes() {
    return processes(NodeProcess.java());
  }

  /// Nodes as processes of a program.
  ///
  /// @param java the start of their command line, up to the class path
  public static Launcher processes(List<String> java) {
    return (home, settings, skew) -> NodeProcess.start(java, home, settings, skew);
  }

  /// Sets it up. No node runs yet, but where each will be called is known.
  ///
  /// @param folder nodes get folders in it
  public static ProofEnvironment set(Engines engines, Launcher launcher, Path folder, int nodes) {
    List<Node> all = new ArrayList<>();
    for (int i = 1; i <= nodes; i++) {
      all.add(new Node(launcher, folder.resolve("node-" + i), engines, i));
    }
    return new ProofEnvironment(engines, List.copyOf(all), new RunLog());
  }

  public Engines engines() {
    return engines;
  }

  public List<Node> nodes() {
    return nodes;
  }

  public RunLog runLog() {
    return runLog;
  }

  /// The proxies of all nodes to one Redis.
  public TcpProxies proxies(Master master) {
    return new TcpProxies(nodes.stream().map(node -> node.redis(master)).toList());
  }

  /// Any of the nodes that run; the first one if none does.
  public Node any(RandomGenerator chance) {
    List<Node> up = nodes.stream().filter(Node::up).toList();
    return up.isEmpty() ? nodes.getFirst() : up.get(chance.nextInt(up.size()));
  }

  /// Environment variables of the servers for all later starts.
  public void settings(Map<String, String> settings) {
    nodes.forEach(node -> node.settings(settings));
  }

  /// Starts every node that is down.
  public void allUp() {
    List<Thread> starting = new ArrayList<>();
    for (Node node : nodes) {
      starting.add(Thread.ofVirtual().start(node::start));
    }
    for (Thread thread : starting) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (!nodes.stream().allMatch(Node::up)) {
      throw new IllegalStateException("not every node starts; see node.log of each");
    }
  }

  @Override
  public void close() {
    nodes.forEach(Node::kill);
    nodes.forEach(Node::close);
  }
}
