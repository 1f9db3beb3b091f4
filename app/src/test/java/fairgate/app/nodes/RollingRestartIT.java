package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.FrontProxy;
import fairgate.testkit.KeptPort;
import fairgate.testkit.RawHttp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Two nodes behind each of the shipped proxy configurations: each node is restarted while buyers
/// call, and no request fails; while Redis is away buyers get the localized page of the node.
///
/// `-Dfairgate.requests=10000` sends at least so many requests instead of 3,000.
@Timeout(900)
@Tag("proof")
class RollingRestartIT {
  private static final int REQUESTS = Integer.getInteger("fairgate.requests", 3_000);
  private static final int CALLERS = 6;
  private static final String WRONG_JOIN = "{\"product_id\":\"7\",\"turnstile_token\":\"wrong\"}";
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(1);

  /// Requests of the callers of which none reaches a node that its proxy does not use.
  private static final int UNUSED_FOR = 120;

  private static final Pattern PAGES =
      Pattern.compile(
          "(?m)^fairgate_http_requests_seconds_count\\{[^}]*route=\"/p/\\{id}\"[^}]*} ([0-9.E]+)$");

  @ParameterizedTest
  @EnumSource
  void noRequestFailsWhileNodesAreRestartedOneAfterTheOther(ShopFronts front) throws Exception {
    TestEngines.shared().flushRedis();
    PostgresAddress database = TestEngines.shared().freshDatabase();
    List<Integer> ports = List.of(KeptPort.free(), KeptPort.free());
    createProduct(TestEngines.shared(), database);
    List<TestFairgate> nodes = new ArrayList<>();
    for (int port : ports) {
      nodes.add(node(front, database, port));
    }
    try (FrontProxy proxy = front.start(ports)) {
      awaitShop(proxy);
      Callers callers = new Callers(proxy.port(0), front);
      for (int i = 0; i < ports.size(); i++) {
        callers.await((i + 1) * REQUESTS / 4);
        front.withdraw(proxy, ports, ports.get(i));
        nodes.get(i).leave();
        awaitUnused(nodes.get(i), front, callers);
        nodes.get(i).close();
        callers.await(callers.sent.get() + REQUESTS / 8);
        nodes.set(i, node(front, database, ports.get(i)));
        awaitReady(nodes.get(i), front);
        front.putBack(proxy, ports);
        awaitUsed(nodes.get(i), front);
      }
      callers.await(REQUESTS);
      callers.stop();
      assertThat(callers.failures).isEmpty();
      System.out.printf("%s: 0 of %d requests failed%n", front, callers.sent.get());
    } finally {
      nodes.forEach(TestFairgate::close);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whileRedisIsAwayBuyersGetThePageOfTheNodeInTheirLanguage(ShopFronts front) throws Exception {
    try (TestEngines engines = TestEngines.privateEngines()) {
      PostgresAddress database = engines.freshDatabase();
      int port = KeptPort.free();
      createProduct(engines, database);
      Map<String, String> settings = new HashMap<>(front.settings());
      settings.put("server.port", Integer.toString(port));
      try (TestFairgate _ = TestFairgate.start(engines, database, settings);
          FrontProxy proxy = front.start(List.of(port, port))) {
        awaitShop(proxy);
        engines.killRedis();
        byte[] join =
            "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                .getBytes(StandardCharsets.UTF_8);
        RawHttp.Answer refused =
            Eventually.get(
                "the node notices",
                () ->
                    RawHttp.send(
                        proxy.port(0),
                        "POST",
                        "/api/queue/join",
                        join,
                        "Content-Type: application/json",
                        "Accept-Language: zh-TW"),
                answer -> answer.status() == 503);
        assertThat(refused.header("retry-after")).isNotEmpty();
        assertThat(refused.body()).contains("SERVICE_UNAVAILABLE", "\"request_id\"");
        assertThat(refused.body()).matches("(?s).*[\\u4e00-\\u9fff].*");
        RawHttp.Answer page =
            RawHttp.send(
                proxy.port(0), "GET", "/p/7", "Accept: text/html", "Accept-Language: zh-TW");
        assertThat(page.status()).as(page.body()).isIn(200, 503);
        assertThat(page.body()).contains("lang=\"zh-Hant\"");
        Eventually.await(
            "the node is ready",
            () -> RawHttp.send(proxy.port(0), "GET", "/health/ready").status() == 200);
        Eventually.await(
            "the alarm", () -> RawHttp.send(proxy.port(0), "GET", "/health/sale").status() == 503);
        engines.restartRedis();
      }
    }
  }

  /// Through a node that needs no PROXY header; the others know the product from their start.
  private static void createProduct(TestEngines engines, PostgresAddress database) {
    try (TestFairgate node = TestFairgate.start(engines, database, Map.of())) {
      node.createProduct("7", 5, "{\"preset\": \"queue\"}");
    }
  }

  private static TestFairgate node(ShopFronts front, PostgresAddress database, int port) {
    Map<String, String> settings = new HashMap<>(front.settings());
    settings.put("server.port", Integer.toString(port));
    return TestFairgate.start(TestEngines.shared(), database, settings);
  }

  private static void awaitShop(FrontProxy proxy) {
    Eventually.await(
        "the proxy finds a node",
        () -> RawHttp.send(proxy.port(0), "GET", "/p/7", "Accept: text/html").status() == 200);
  }

  /// An operator waits for `/health/ready` before the next node is restarted.
  private static void awaitReady(TestFairgate node, ShopFronts front) {
    Eventually.await(
        "the node is ready", () -> direct(node, front, "/health/ready").status() == 200);
  }

  /// An operator waits until the proxy has noticed; `server.drain_seconds` of `serve` does the same
  /// by the clock.
  private static void awaitUnused(TestFairgate node, ShopFronts front, Callers callers) {
    AtomicLong pages = new AtomicLong(-1);
    AtomicInteger since = new AtomicInteger();
    Eventually.await(
        "the proxy uses the node no more",
        () -> {
          int sent = callers.sent.get();
          long now = pages(node, front);
          if (pages.getAndSet(now) != now) {
            since.set(sent);
          }
          return sent - since.get() >= UNUSED_FOR;
        });
  }

  private static void awaitUsed(TestFairgate node, ShopFronts front) {
    Eventually.await("the proxy uses the node again", () -> pages(node, front) > 0);
  }

  /// The requests for the page of the sale that the node has answered.
  private static long pages(TestFairgate node, ShopFronts front) {
    return PAGES
        .matcher(direct(node, front, "/metrics").body())
        .results()
        .mapToLong(count -> (long) Double.parseDouble(count.group(1)))
        .sum();
  }

  /// The answer of the node to an operator, past the proxy.
  private static RawHttp.Answer direct(TestFairgate node, ShopFronts front, String path) {
    return RawHttp.send(
        node.port(),
        front.preamble() + "GET",
        path,
        "Authorization: Bearer " + TestFairgate.OPERATOR);
  }

  /// Buyers who call pages and the API over connections that are kept, a third of the calls with a
  /// body. These have connections of their own with nginx, because a reload closes connections
  /// without a request; browsers repeat a request on a kept connection that was just closed, and
  /// the client of this test does so for GET only.
  private static final class Callers {
    private final HttpClient client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private final int port;
    private final ShopFronts front;

    Callers(int port, ShopFronts front) {
      this.port = port;
      this.front = front;
      for (int i = 0; i < CALLERS; i++) {
        threads.add(Thread.ofVirtual().start(this::run));
      }
    }

    private void run() {
      while (!over.get()) {
        int number = sent.incrementAndGet();
        switch (number % 3) {
          case 0 -> call("GET", "/p/7", 200);
          case 1 -> call("GET", "/api/products/7", 200);
          // The test challenge is wrong, so the answer is a refusal of the server, not of a proxy.
          default -> join(403);
        }
      }
    }

    private void join(int wanted) {
      if (front != ShopFronts.NGINX) {
        call("POST", "/api/queue/join", wanted);
        return;
      }
      try {
        RawHttp.Answer answer =
            RawHttp.send(
                port,
                "POST",
                "/api/queue/join",
                WRONG_JOIN.getBytes(StandardCharsets.UTF_8),
                "Content-Type: application/json");
        if (answer.status() != wanted) {
          failures.add("POST: " + answer.status() + " " + answer.body());
        }
      } catch (UncheckedIOException | IllegalStateException e) {
        failures.add("POST: " + e);
      }
    }

    private void call(String method, String path, int wanted) {
      try {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(CALL_TIMEOUT)
                .header("content-type", "application/json")
                .method(
                    method,
                    method.equals("GET")
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(WRONG_JOIN))
                .build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != wanted) {
          failures.add(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
      } catch (IOException e) {
        failures.add(method + " " + path + ": " + e);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    /// Waits until so many requests were sent.
    void await(int requests) {
      Eventually.await(requests + " requests", () -> sent.get() >= requests);
    }

    void stop() throws InterruptedException {
      over.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      client.close();
    }
  }
}
