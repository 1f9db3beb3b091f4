package fairgate.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Speed of several nodes on one Redis and one PostgreSQL: status, joins and purchases of one sale,
/// sent to all nodes at the same time; and the processor time of Redis for each, which is the same
/// however many processors the nodes have.
final class NodeScale {
  private static final int BUYERS = 60_000;

  private final Measures measures;
  private final Path folder;

  NodeScale(Measures measures, Path folder) {
    this.measures = measures;
    this.folder = folder;
  }

  private interface Load {
    Wrk.Run run(Wrk wrk, int node) throws IOException, InterruptedException;
  }

  /// Requests per second of all nodes, and microseconds of Redis for each.
  private record Speed(double perSecond, double redisMicros) {
    String text() {
      return String.format(Locale.ROOT, "%,.0f/s (Redis %.1f µs each)", perSecond, redisMicros);
    }
  }

  /// Measures one number of nodes after the other.
  void run(List<Integer> sizes) throws IOException, InterruptedException {
    for (int size : sizes) {
      List<Node> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < size; i++) {
          nodes.add(Node.start(measures.server(), folder.resolve(size + "-" + i), Map.of()));
        }
        measure(nodes);
      } finally {
        nodes.forEach(Node::close);
      }
    }
  }

  private void measure(List<Node> nodes) throws IOException, InterruptedException {
    int time = measures.seconds();
    int share = BUYERS / nodes.size();
    Crowd looked = measures.product(1, Measures.QUEUE);
    looked.join(0, Measures.SAMPLE);
    Crowd joined = measures.product(1, Measures.QUEUE);
    String join = Measures.JOIN.formatted(Measures.id(joined));
    List<String> sessions = looked.sessions(0, Measures.SAMPLE);
    Load status = (wrk, _) -> wrk.status(sessions, time).allGranted();
    // New processes compile first.
    Speed _ = together(nodes, status);
    Speed looks = together(nodes, status);
    Load joins = (wrk, _) -> wrk.post("/api/queue/join", join, time).allGranted();
    Speed _ = together(nodes, joins);
    Speed places = together(nodes, joins);
    Speed purchases = new Speed(0, 0);
    for (int i = 0; i < 2; i++) {
      Crowd ready = measures.ready(BUYERS, BUYERS);
      purchases =
          together(
              nodes,
              (wrk, node) ->
                  wrk.purchase(
                          ready.sessions(node * share, (node + 1) * share),
                          Measures.id(ready),
                          time)
                      .allGranted());
    }
    measures
        .table()
        .row(
            nodes.size() + (nodes.size() == 1 ? " node" : " nodes"),
            "status " + looks.text() + ", joins " + places.text(),
            "purchases of one sale " + purchases.text(),
            "",
            true);
  }

  private Speed together(List<Node> nodes, Load load) throws IOException, InterruptedException {
    measures.rested();
    double before = redisSeconds();
    List<Callable<Wrk.Run>> runs = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      int node = i;
      runs.add(() -> load.run(nodes.get(node).wrk(), node));
    }
    double perSecond = 0;
    long requests = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Wrk.Run> run : threads.invokeAll(runs)) {
        perSecond += run.get().perSecond();
        requests += run.get().granted();
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
    return new Speed(perSecond, (redisSeconds() - before) * 1e6 / requests);
  }

  private double redisSeconds() throws IOException {
    try (RawRedis redis = new RawRedis(measures.server().redisSocket())) {
      return Double.parseDouble(redis.infoText("cpu", "used_cpu_user"))
          + Double.parseDouble(redis.infoText("cpu", "used_cpu_sys"));
    }
  }
}
