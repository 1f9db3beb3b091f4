package fairgate.bench.waiters;

import fairgate.bench.Child;
import fairgate.bench.RawRedis;
import fairgate.testkit.FrontProxy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/// Simulates the browsers of a waiting room: many on each connection, behind nginx with a cache.
/// Each computes its own place from head and tile. Visitors leave meanwhile; then nobody leaves for
/// a while, and every browser looks once more. The places of all browsers are compared with brute
/// force over the tickets that the simulator itself has removed.
///
/// Tickets are written to Redis directly; handing them out is not what this measures. Browsers on
/// one connection that look in the same 10 ms share one request.
public final class Waiters {
  private static final String ROOM = "bench";
  private static final String BASE = "/q/" + ROOM;
  private static final int CONNECTIONS = 32;
  private static final int BLOCK = 1 << 14;
  private static final long TICK_MS = 10;
  private static final long QUIET_MS = 130_000;
  private static final double GONE_AT_START = 0.02;
  private static final int LEAVING_PER_SECOND = 50;
  private static final String CACHE =
      """
      proxy_cache_path $DIR/cache keys_zone=room:10m max_size=100m;
      server {
        listen 127.0.0.1:$PORT0;
        keepalive_requests 100000000;
        location ~ ^/q/[^/]+/(head|gone/) {
          proxy_pass http://127.0.0.1:ORIGIN;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Cookie "";
          proxy_cache room;
          proxy_cache_key $uri;
          proxy_cache_lock on;
          proxy_cache_use_stale updating error timeout http_500 http_502 http_503 http_504;
          proxy_cache_background_update on;
        }
      }
      """;

  private final int clients;
  private final BitSet gone = new BitSet();
  private final AtomicLong looks = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private final AtomicLong highestError = new AtomicLong();
  private final AtomicLong wrong = new AtomicLong();

  private Waiters(int clients) {
    this.clients = clients;
  }

  /// Arguments: root of the project, an empty folder, number of clients, seconds of departures.
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[1]);
    Waiters waiters = new Waiters(Integer.parseInt(args[2]));
    Path jar = Path.of(args[0]).resolve("app/target/fairgate.jar");
    try (Child server = Child.start(jar, folder.resolve("data"), Map.of());
        RawRedis redis = new RawRedis(server.redisSocket())) {
      waiters.run(server, redis, Integer.parseInt(args[3]));
    }
  }

  private void run(Child server, RawRedis redis, int seconds)
      throws IOException, InterruptedException {
    String _ =
        server
            .operator()
            .call(
                "PUT",
                "/api/admin/rooms/" + ROOM,
                """
        {"hosts": ["shop.example"], "mode": "on", "capacity": 1000000, "rate": 1200,
         "challenge": false, "places_per_ip": null, "places_per_network": null,
         "return_url": "https://shop.example/", "paused": true}
        """);
    TimeUnit.SECONDS.sleep(2);
    fill(redis);
    TimeUnit.SECONDS.sleep(3);
    headSize(server.port());
    String _ = server.operator().call("PATCH", "/api/admin/rooms/" + ROOM, "{\"paused\": false}");
    try (FrontProxy nginx =
        FrontProxy.nginx(CACHE.replace("ORIGIN", Integer.toString(server.port())), 1)) {
      Origin before = origin(server);
      long start = System.nanoTime();
      long requests = browse(nginx.port(0), redis, seconds, server);
      double took = (System.nanoTime() - start) / 1e9;
      Origin after = origin(server);
      System.out.printf(
          "%,d browsers: %,.0f looks/s with %,.0f requests/s to the cache, for %.0f s%n",
          clients, looks.get() / took, requests / took, took);
      System.out.printf(
          "origin: %.2f heads/s + %.2f tiles/s = %.2f requests/s%n",
          (after.heads - before.heads) / took,
          (after.tiles - before.tiles) / took,
          (after.heads + after.tiles - before.heads - before.tiles) / took);
    }
  }

  /// Gives every client a ticket, and removes some.
  private void fill(RawRedis redis) throws IOException, InterruptedException {
    Random random = new Random(1);
    List<List<String>> commands = new ArrayList<>();
    for (int ticket = 0; ticket < clients; ticket++) {
      if (random.nextDouble() < GONE_AT_START) {
        commands.add(remove(ticket));
      }
    }
    commands.add(List.of("HSET", "room:{" + ROOM + "}:state", "next", Integer.toString(clients)));
    double _ = redis.pipeline(commands.size(), 256, commands::get, _ -> {});
  }

  private List<String> remove(int ticket) {
    synchronized (gone) {
      gone.set(ticket);
    }
    int bit = ticket % BLOCK;
    return List.of(
        "SETBIT",
        "room:{" + ROOM + "}:gone:" + ticket / BLOCK,
        Integer.toString(bit - 2 * (bit % 8) + 7),
        "1");
  }

  private static void headSize(int port) throws IOException {
    try (HttpSource source = new HttpSource(port)) {
      byte[] head = source.get(BASE + "/head");
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
        gzip.write(head);
      }
      System.out.printf("head: %d bytes, %d gzipped%n", head.length, packed.size());
      System.out.println(new String(head, StandardCharsets.UTF_8));
    }
  }

  /// The browsers look as often as the head says; visitors leave for some seconds, then none.
  ///
  /// @return requests to the cache
  private long browse(int port, RawRedis redis, int seconds, Child server)
      throws IOException, InterruptedException {
    long start = System.currentTimeMillis();
    long leavesUntil = start + seconds * 1_000L;
    long end = leavesUntil + QUIET_MS;
    ConcurrentLinkedQueue<IOException> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    AtomicLong requests = new AtomicLong();
    for (int i = 0; i < CONNECTIONS; i++) {
      int number = i;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (HttpSource source = new HttpSource(port)) {
                      SharedPlaces places = new SharedPlaces(source, BASE);
                      poll(places, number, start, end);
                      last(places, number);
                      requests.addAndGet(places.requests());
                    } catch (IOException e) {
                      failures.add(e);
                    }
                  }));
    }
    Random random = new Random(2);
    while (System.currentTimeMillis() < leavesUntil) {
      String _ = redis.call(remove(random.nextInt(clients)).toArray(String[]::new));
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1) / LEAVING_PER_SECOND);
    }
    System.out.printf("%,d looks while visitors left%n", looks.get());
    pause(server);
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw failures.remove();
    }
    System.out.printf(
        "places while visitors left: mean error %.4f, highest %d%n",
        errors.get() / (double) Math.max(1, looks.get()), highestError.get());
    System.out.printf("places at the last look: %d of %,d wrong%n", wrong.get(), clients);
    return requests.get();
  }

  /// Nobody is admitted from now on, so that the last look of all is at one state.
  private static void pause(Child server) throws IOException, InterruptedException {
    String _ = server.operator().call("PATCH", "/api/admin/rooms/" + ROOM, "{\"paused\": true}");
  }

  /// The looks of the browsers of one connection, in turns of 10 ms.
  private void poll(SharedPlaces places, int number, long start, long end) throws IOException {
    int slots = (int) (45_000 / TICK_MS);
    List<List<Integer>> wheel = new ArrayList<>();
    for (int i = 0; i < slots; i++) {
      wheel.add(new ArrayList<>());
    }
    Random random = new Random(number);
    for (int client = number; client < clients; client += CONNECTIONS) {
      wheel.get(random.nextInt((int) (30_000 / TICK_MS))).add(client);
    }
    for (long tick = 0; System.currentTimeMillis() < end; tick++) {
      long due = start + tick * TICK_MS;
      long wait = due - System.currentTimeMillis();
      if (wait > 0) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(wait));
      }
      List<Integer> now = wheel.get((int) (tick % slots));
      if (now.isEmpty()) {
        continue;
      }
      places.look();
      List<Integer> again = new ArrayList<>(now);
      now.clear();
      Brute brute = new Brute(places.cursor());
      for (int client : again) {
        long pause = look(places, client, brute, random);
        if (pause > 0) {
          wheel.get((int) ((tick + Math.max(1, pause / TICK_MS)) % slots)).add(client);
        }
      }
    }
  }

  /// @return time until the next look, ms; 0 for a browser whose turn has come or that has left
  private long look(SharedPlaces places, int client, Brute brute, Random random)
      throws IOException {
    if (client < places.cursor() || isGone(client)) {
      return 0;
    }
    long ahead = places.ahead(client, System.currentTimeMillis());
    looks.incrementAndGet();
    long error = Math.abs(ahead - brute.ahead(client));
    errors.addAndGet(error);
    highestError.accumulateAndGet(error, Math::max);
    return (long) (places.pollAfter(ahead) * (1 + 0.3 * random.nextDouble()));
  }

  private void last(SharedPlaces places, int number) throws IOException {
    places.look();
    Brute brute = new Brute(places.cursor());
    for (int client = number; client < clients; client += CONNECTIONS) {
      if (client >= places.cursor() && !isGone(client)) {
        long ahead = places.ahead(client, System.currentTimeMillis());
        if (ahead != brute.ahead(client)) {
          wrong.incrementAndGet();
        }
      }
    }
  }

  private boolean isGone(int ticket) {
    synchronized (gone) {
      return gone.get(ticket);
    }
  }

  /// Counts tickets one by one, at one instant.
  private final class Brute {
    private final long cursor;
    private final int[] aliveBefore;

    Brute(long cursor) {
      this.cursor = cursor;
      BitSet now;
      synchronized (gone) {
        now = Snapshot.of(gone, cached);
      }
      cached = now;
      this.aliveBefore = Snapshot.aliveBefore(now, clients);
    }

    long ahead(int ticket) {
      return (long) aliveBefore[ticket] - aliveBefore[(int) cursor];
    }
  }

  private volatile BitSet cached = new BitSet();

  /// Prefix sums of the tickets that are not gone, computed at most ten times a second.
  private static final class Snapshot {
    private static long madeAt;
    private static int[] sums = new int[1];

    static BitSet of(BitSet gone, BitSet had) {
      return System.currentTimeMillis() - madeAt < 100 ? had : (BitSet) gone.clone();
    }

    static synchronized int[] aliveBefore(BitSet gone, int clients) {
      if (System.currentTimeMillis() - madeAt >= 100 || sums.length == 1) {
        int[] fresh = new int[clients + 1];
        for (int i = 0; i < clients; i++) {
          fresh[i + 1] = fresh[i] + (gone.get(i) ? 0 : 1);
        }
        sums = fresh;
        madeAt = System.currentTimeMillis();
      }
      return sums;
    }
  }

  /// Requests that the server has answered.
  private record Origin(double heads, double tiles) {}

  private static Origin origin(Child server) throws IOException, InterruptedException {
    String metrics = server.operator().call("GET", "/metrics", "");
    return new Origin(count(metrics, "/q/{room}/head"), count(metrics, "/q/{room}/gone/"));
  }

  private static double count(String metrics, String route) {
    double sum = 0;
    Matcher lines =
        Pattern.compile(
                "(?m)^fairgate_http_requests_seconds_count\\{[^\\n]*route=\""
                    + Pattern.quote(route)
                    + "[^\\n]* ([0-9.E]+)$")
            .matcher(metrics);
    while (lines.find()) {
      sum += Double.parseDouble(lines.group(1));
    }
    return sum;
  }
}
