package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.monitoring.PriceCounters;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// A sale costs what the documentation says, idle sales almost nothing, and they react when
/// something happens.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class IdleSalesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SALES = 20;

  /// The sales of the second idle minute of the documentation.
  private static final int OPEN_SALES = 50;

  private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
  private static final long SECOND_MICROS = 1_000_000;
  private static final double MINUTE_NANOS = 60e9;
  private static final int BUYERS = 100;

  /// PostgreSQL has the numbers of a connection ten seconds after its last statement.
  private static final Duration STATISTICS = Duration.ofSeconds(12);

  /// A guest's browser, about which nothing is special.
  private static final String[] BROWSER = {
    "User-Agent",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
        + " Safari/537.36",
    "Accept-Language",
    "en",
    "Sec-Fetch-Site",
    "same-origin"
  };

  private static TestEngines engines;
  private static PostgresAddress database;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    database = engines.freshDatabase();
    server = TestFairgate.start(engines, database, Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
    engines.close();
  }

  /// A change that makes a buyer or an idle minute dearer raises the number in
  /// `docs/performance.md`, and says why in the commit.
  @Test
  @Order(1)
  void aBuyerAndAnIdleMinuteCostNoMoreThanTheDocumentationSays() throws Exception {
    assertThat(RespConnection.call(engines.redisUri(), "CONFIG", "SET", "appendonly", "yes"))
        .isEqualTo("OK");
    server.createProduct(
        "90",
        10 * BUYERS,
        """
        {"preset": "flash", "active_capacity": 1000, "ready_slots": 1000, "admit_per_second": null,
         "jitter_ms": 0, "payment": "none"}
        """);
    server.openSale("90");
    // The first ones touch everything that is made once.
    buy(BUYERS);
    PriceCounters counters = new PriceCounters(engines, database);
    later();
    Map<String, Double> before = counters.read();
    buy(BUYERS);
    long sold = System.nanoTime();
    later();
    Map<String, Double> after = counters.read();
    long idleFrom = System.nanoTime();
    later();
    Map<String, Double> idle = PriceCounters.spent(after, counters.read(), minutesSince(idleFrom));
    for (int i = 1; i < OPEN_SALES; i++) {
      String id = Integer.toString(400 + i);
      server.createProduct(id, 3, "{\"preset\": \"queue\"}");
      server.openSale(id);
    }
    later();
    Map<String, Double> many = counters.read();
    long manyFrom = System.nanoTime();
    later();
    Map<String, Double> manyLater = counters.read();
    Map<String, Double> idleMany = PriceCounters.spent(many, manyLater, minutesSince(manyFrom));
    assertThat(
            PriceCounters.spent(many, manyLater, 1)
                .getOrDefault("table " + PriceCounters.BY_THE_CLOCK, 0.0))
        .as("rows of sale_minutes: one a minute of each sale, and one more of a new one")
        .isLessThanOrEqualTo(2.0 * OPEN_SALES);
    Map<String, Double> buyer = PriceCounters.spent(before, after, BUYERS);
    double waited = (idleFrom - sold) / MINUTE_NANOS;
    // The buyer's part without the idle time after the purchases.
    buyer.replaceAll((name, n) -> n - idle.getOrDefault(name, 0.0) * waited / BUYERS);
    Map<String, double[]> allowed = PriceCounters.allowed();
    assertThat(allowed.keySet()).containsExactlyInAnyOrderElementsOf(PriceCounters.ROWS.values());
    StringBuilder report = new StringBuilder();
    buyer.forEach(
        (name, n) ->
            report.append(
                "%-40s %10.2f a buyer %10.1f an idle minute %10.1f with %d open sales%n"
                    .formatted(
                        name,
                        n,
                        idle.getOrDefault(name, 0.0),
                        idleMany.getOrDefault(name, 0.0),
                        OPEN_SALES)));
    System.out.print(report);
    PriceCounters.ROWS.forEach(
        (name, row) -> {
          double[] most = Objects.requireNonNull(allowed.get(row));
          assertThat(buyer.get(name))
              .as("%s of a buyer%n%s", row, report)
              .isBetween(most[0] < 3 ? -1 : 0.4 * most[0], most[0]);
          assertThat(idle.get(name))
              .as("%s of an idle minute%n%s", row, report)
              .isLessThanOrEqualTo(most[1]);
          assertThat(idleMany.get(name))
              .as("%s of an idle minute with %d open sales%n%s", row, OPEN_SALES, report)
              .isLessThanOrEqualTo(most[2]);
        });
    for (int i = 1; i < OPEN_SALES; i++) {
      server.admin("POST", "/products/" + (400 + i) + "/close", "");
    }
  }

  private static double minutesSince(long nanos) {
    return (System.nanoTime() - nanos) / MINUTE_NANOS;
  }

  /// Buyers who come at the same time: what is paid for each batch is shared by them.
  private static void buy(int buyers) throws Exception {
    try (ExecutorService all = BlockingWork.executor("buyers")) {
      List<String> sessions = results(all, Collections.nCopies(buyers, IdleSalesIT::join));
      Eventually.await(
          "all turns have come",
          () ->
              JSON.readTree(server.admin("GET", "/products/90/live", "")).path("ready").asInt()
                  == buyers);
      List<Callable<String>> purchases =
          sessions.stream().<Callable<String>>map(session -> () -> purchase(session)).toList();
      assertThat(results(all, purchases)).doesNotHaveDuplicates();
    }
  }

  private static List<String> results(ExecutorService all, List<Callable<String>> tasks)
      throws Exception {
    List<String> results = new ArrayList<>();
    for (Future<String> task : all.invokeAll(tasks)) {
      results.add(task.get());
    }
    return results;
  }

  private static String join() throws IOException {
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"90\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
            BROWSER);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return JSON.readTree(joined.body()).path("session_id").asText();
  }

  /// Returns the order.
  private static String purchase(String session) throws IOException {
    List<String> headers = new ArrayList<>(List.of(BROWSER));
    headers.addAll(List.of("X-Session-Id", session));
    String[] named = headers.toArray(String[]::new);
    HttpResponse<String> turn = server.callUntilAccepted("GET", "/api/queue/status", "", named);
    assertThat(turn.statusCode()).as(turn.body()).isEqualTo(200);
    HttpResponse<String> bought =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"90\",\"quantity\":1,\"purchase_token\":\"%s\"}"
                .formatted(JSON.readTree(turn.body()).path("purchase_token").asText()),
            named);
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    return JSON.readTree(bought.body()).path("order_id").asText();
  }

  /// Waits until the numbers of all that has happened are known.
  private static void later() {
    long from = System.nanoTime();
    Eventually.await("time has passed", () -> System.nanoTime() - from > STATISTICS.toNanos());
  }

  @Test
  @Order(2)
  void closedSalesLeaveTheLoopsAndScheduledOnesTickSlowly() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      server.admin("POST", "/products/90/close", "");
      for (int i = 1; i <= SALES; i++) {
        String id = Integer.toString(100 + i);
        server.createProduct(id, 3, "{\"preset\": \"queue\"}");
        server.openSale(id);
        server.admin("POST", "/products/" + id + "/close", "");
      }
      RedisSettings patient = new RedisSettings(engines.redisUri(), Duration.ofMinutes(1));
      RedisClient redis = RedisClient.connect(vertx, patient).await();
      // Twenty script runs a second each, as it was, would be 400.
      fewerScriptsThan(redis, SALES / 2);
      for (int i = 1; i <= SALES; i++) {
        server.createProduct(
            Integer.toString(200 + i),
            3,
            "{\"preset\": \"queue\", \"opens_at\": \"2199-01-01T00:00:00Z\"}");
      }
      fewerScriptsThan(redis, 2 * SALES);
      opensByTheClock(server);
      redis.close();
    } finally {
      vertx.close().await();
    }
  }

  /// Waits until fewer scripts than this run per second; a busy machine may take long to become
  /// quiet.
  private static void fewerScriptsThan(RedisClient redis, long max) {
    Deque<Sample> samples = new ArrayDeque<>();
    double _ =
        Eventually.get(
            "fewer script runs a second than " + max,
            () -> {
              samples.addLast(sample(redis));
              return samples.getLast().rateSince(samples.getFirst());
            },
            rate -> {
              Sample first = samples.getFirst();
              if (samples.getLast().micros() - first.micros() < SECOND_MICROS) {
                return false;
              }
              samples.removeFirst();
              return rate < max;
            });
  }

  /// @param micros Redis time
  private record Sample(long micros, long scripts) {
    double rateSince(Sample earlier) {
      long passed = Math.max(1, micros - earlier.micros());
      return (scripts - earlier.scripts()) * (double) SECOND_MICROS / passed;
    }
  }

  private static Sample sample(RedisClient redis) {
    RedisReply time = redis.send("TIME").await();
    return new Sample(time.at(0).number() * SECOND_MICROS + time.at(1).number(), scripts(redis));
  }

  private static long scripts(RedisClient redis) {
    Matcher found = SCRIPTS.matcher(redis.send("INFO", "commandstats").await().text());
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  /// `QueueLoopTest` tests the delay after the opening time.
  private static void opensByTheClock(TestFairgate server) throws Exception {
    Instant opens = Instant.now().plus(Duration.ofSeconds(4));
    server.createProduct(
        "300", 3, "{\"preset\": \"queue\", \"opens_at\": \"%s\"}".formatted(opens));
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"300\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
    assertThat(joined.statusCode()).as("join: %s", joined.body()).isEqualTo(200);
    String session = JSON.readTree(joined.body()).path("session_id").asText();
    JsonNode ready =
        Eventually.get(
            "a turn",
            () ->
                JSON.readTree(
                    server.call("GET", "/api/queue/status", "", "X-Session-Id", session).body()),
            status -> status.path("queue_status").asText().equals("ready_to_purchase"));
    assertThat(ready.path("purchase_ready_at").asLong())
        .isGreaterThanOrEqualTo(opens.toEpochMilli());
  }
}
