package fairgate.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// The cost of the limits: joins with all limits against joins without, a flood from one address,
/// and the memory of many addresses. Two servers, one without limits and one with them, each with
/// its own engines, are measured in turn. `wrk` acts as a trusted proxy, which sets the addresses.
final class GateCost {
  private static final int ADDRESSES = 40_000;
  private static final int CROWD = 1_000_000;
  private static final String PRODUCT = "7";
  private static final String JOIN =
      "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";

  /// Places by network are counted and not limited, so that every join is one.
  private static final String QUEUE =
      "{\"preset\":\"queue\",\"places_per_ip\":null,\"places_per_network\":null}";

  /// Those that are off by default too, so that every dimension there is counts.
  private static final Map<String, String> ALL_LIMITS =
      Map.of(
          "FAIRGATE_LIMITS", "on",
          "FAIRGATE_LIMIT_ROUTE", "100000/s open",
          "FAIRGATE_LIMIT_USER", "10/s",
          "FAIRGATE_LIMIT_DEVICE", "10/s",
          "FAIRGATE_LIMIT_SESSION", "5/s");

  private static final Map<String, String> PROXY =
      Map.of("FAIRGATE_SERVER_TRUSTED_PROXIES", "127.0.0.1/32");

  private final Path jar;
  private final Table table;
  private final int rounds;
  private final int seconds;

  GateCost(Measures measures) {
    this.jar = measures.server().jar();
    this.table = measures.table();
    this.rounds = measures.rounds();
    this.seconds = measures.seconds();
  }

  void run(Path folder) throws IOException, InterruptedException {
    Map<String, String> limited = new HashMap<>(ALL_LIMITS);
    limited.putAll(PROXY);
    try (Child free = Child.start(jar, folder.resolve("free"), PROXY);
        Child gated = Child.start(jar, folder.resolve("gated"), limited)) {
      free.create(PRODUCT, 1, QUEUE);
      gated.create(PRODUCT, 1, QUEUE);
      speeds(new Wrk(free.port(), folder), new Wrk(gated.port(), folder), gated);
      memory(new Wrk(gated.port(), folder), gated);
    }
  }

  private void speeds(Wrk free, Wrk gated, Child server) throws IOException, InterruptedException {
    List<String> addresses = addresses(ADDRESSES);
    double[][] speed = new double[5][rounds];
    long calls = 0;
    for (int i = -2; i < rounds; i++) {
      int time = i < 0 ? Math.max(8, seconds) : seconds;
      double[] now = new double[5];
      now[0] = free.post("/api/queue/join", addresses, JOIN, time).allGranted().perSecond();
      now[1] = gated.post("/api/queue/join", addresses, JOIN, time).perSecond();
      now[2] = gated.get("/health/live", time).allGranted().perSecond();
      long before = commands(server);
      now[3] = gated.get("/api/products", time).perSecond();
      now[4] = gated.post("/api/queue/join", JOIN, time).perSecond();
      calls = commands(server) - before;
      System.out.println("round " + i + ": " + Arrays.toString(now) + ", " + calls + " commands");
      for (int k = 0; k < now.length && i >= 0; k++) {
        speed[k][i] = now[k];
      }
    }
    tell(speed);
    double perRequest = calls / ((speed[3][rounds - 1] + speed[4][rounds - 1]) * seconds);
    table.row(
        "Redis commands a refused request of the floods, all else of the server included",
        String.format(Locale.ROOT, "%,d commands", calls),
        "%.5f".formatted(perRequest),
        "none each",
        perRequest < 0.01);
  }

  private void tell(double[][] speed) {
    table.ratio(
        "join, all limits on / none",
        Table.perSecond(speed[1]) + " / " + Table.perSecond(speed[0]),
        Measures.over(speed[1], speed[0]),
        0.7);
    String live = " / " + Table.perSecond(speed[2]);
    table.ratio(
        "flood of reads from one address, refused / `GET /health/live`",
        Table.perSecond(speed[3]) + live,
        Measures.over(speed[3], speed[2]),
        0.85);
    table.ratio(
        "flood of joins from one address, refused / `GET /health/live`",
        Table.perSecond(speed[4]) + live,
        Measures.over(speed[4], speed[2]),
        0);
  }

  /// The most that Redis grows by while a crowd of addresses comes by, each once.
  private void memory(Wrk gated, Child server) throws IOException, InterruptedException {
    List<String> crowd = addresses(CROWD);
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      long before = redis.info("memory", "used_memory");
      long[] max = {before};
      AtomicBoolean over = new AtomicBoolean();
      Thread watch =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (RawRedis eye = new RawRedis(server.redisSocket())) {
                      while (!over.get()) {
                        max[0] = Math.max(max[0], eye.info("memory", "used_memory"));
                        LockSupport.parkNanos(50_000_000);
                      }
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      double perSecond = gated.once(crowd, "/api/products");
      over.set(true);
      watch.join();
      double grown = (max[0] - before) / 1e6;
      table.row(
          "Redis memory at most, 1,000,000 addresses come by",
          String.format(Locale.ROOT, "%,.0f addresses/s", perSecond),
          "%.1f MB".formatted(grown),
          "at most 100 MB",
          grown <= 100);
    }
  }

  private static long commands(Child server) throws IOException {
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      return redis.info("stats", "total_commands_processed");
    }
  }

  /// Addresses, each in its own network.
  private static List<String> addresses(int count) {
    List<String> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      all.add("%d.%d.%d.7".formatted(11 + i / 65_536, i / 256 % 256, i % 256));
    }
    return all;
  }
}
