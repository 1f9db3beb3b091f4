package fairgate.bench;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.testkit.RedisCluster;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Joins of three sales at the same time, on one Redis and on a Redis Cluster of three masters,
/// each with one of the sales: requests per second, and the processor time of the busiest Redis for
/// each request. The second is the same however many processors the machine has.
final class ClusterScale {
  private static final int FIRST_PRODUCT = 9_001;

  private final Measures measures;
  private final Path folder;

  ClusterScale(Measures measures, Path folder) {
    this.measures = measures;
    this.folder = folder;
  }

  void run() throws IOException, InterruptedException {
    Path program = redisOf(measures.server()).info().command().map(Path::of).orElseThrow();
    Path jar = measures.server().jar();
    try (RedisCluster cluster = RedisCluster.start(program, folder.resolve("masters"))) {
      List<String> products = oneForEachMaster(cluster);
      try (Child single =
          Child.start(jar, Files.createDirectories(folder.resolve("single")), Map.of())) {
        measure("one Redis", single.operator(), products, List.of(redisOf(single)));
        measureCluster(cluster, single, products);
      }
    }
  }

  /// A node on the cluster, with a database of its own beside that of the other server.
  private void measureCluster(RedisCluster cluster, Child single, List<String> products)
      throws IOException, InterruptedException {
    PostgresSettings other = single.postgres();
    Vertx vertx = Vertx.vertx();
    try (PostgresDatabase database = PostgresDatabase.open(vertx, other)) {
      var _ = database.query("CREATE DATABASE clustered").await();
    } finally {
      vertx.close().await();
    }
    PostgresSettings own =
        new PostgresSettings(
            other.host(), other.port(), other.user(), other.password(), "clustered", 2);
    Map<String, String> settings =
        Map.of(
            "REDIS_URL",
            cluster.uri(0),
            "FAIRGATE_REDIS_MODE",
            "cluster",
            "DATABASE_URL",
            Node.url(own));
    Path data = Files.createDirectories(folder.resolve("clustered"));
    try (Node clustered = Node.start(single, data, settings)) {
      List<ProcessHandle> masters =
          ProcessHandle.current().children().filter(ClusterScale::isRedis).toList();
      measure("three masters", new AdminApi(clustered.port(), single.token()), products, masters);
    }
  }

  private static ProcessHandle redisOf(Child server) {
    return ProcessHandle.of(server.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .filter(ClusterScale::isRedis)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isRedis(ProcessHandle process) {
    return process.info().command().orElse("").contains("redis-server");
  }

  private static List<String> oneForEachMaster(RedisCluster cluster) {
    List<String> products = new ArrayList<>();
    for (int id = FIRST_PRODUCT; products.size() < RedisCluster.MASTERS; id++) {
      if (cluster.owner(cluster.slot("{" + id + "}")) == products.size()) {
        products.add(Integer.toString(id));
      }
    }
    return products;
  }

  private void measure(
      String name, AdminApi server, List<String> products, List<ProcessHandle> engines)
      throws IOException, InterruptedException {
    for (String product : products) {
      server.create(product, 1, Measures.QUEUE);
      server.open(product);
    }
    // A new process compiles first.
    double _ = joins(server, products);
    List<Duration> before = engines.stream().map(ClusterScale::processor).toList();
    double perSecond = joins(server, products);
    double busiest = 0;
    for (int i = 0; i < engines.size(); i++) {
      Duration used = processor(engines.get(i)).minus(before.get(i));
      busiest = Math.max(busiest, used.toNanos() / 1e3 / (perSecond * measures.seconds()));
    }
    measures
        .table()
        .row(
            "joins of three sales, " + name,
            String.format(Locale.ROOT, "%,.0f/s", perSecond),
            String.format(Locale.ROOT, "busiest Redis %.1f µs for each", busiest),
            "",
            true);
  }

  private static Duration processor(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private double joins(AdminApi server, List<String> products)
      throws IOException, InterruptedException {
    List<Callable<Wrk.Run>> runs = new ArrayList<>();
    for (String product : products) {
      Wrk wrk = new Wrk(server.port(), Files.createDirectories(folder.resolve("wrk-" + product)));
      String join = Measures.JOIN.formatted(product);
      runs.add(() -> wrk.post("/api/queue/join", join, measures.seconds()).allGranted());
    }
    double perSecond = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Wrk.Run> run : threads.invokeAll(runs)) {
        perSecond += run.get().perSecond();
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
    return perSecond;
  }
}
