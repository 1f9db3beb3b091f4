package fairgate.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// A seller's order system on loopback: `GET /api/orders/{order number}` with a bearer token, and
/// misbehaviour on demand.
public final class FakeOrderSystem implements AutoCloseable {
  /// The token it grants.
  public static final String TOKEN = "order-system-token-of-the-testkit";

  private static final String PATH = "/api/orders/";

  /// How calls go wrong.
  public enum Fault {
    /// Status 401, whatever the token.
    STATUS_401,
    /// Status 429 with `Retry-After: 7`.
    STATUS_429,
    /// Status 500 and a page of HTML.
    STATUS_500,
    /// A redirect to the right answer.
    REDIRECT,
    /// Status 200, and the body is no JSON.
    MALFORMED,
    /// Status 200 and JSON that is no order.
    STRANGE,
    /// The connection ends in the middle of the body.
    CUT_OFF,
    /// No answer while the fake lives.
    SILENT,
    /// The head comes, the body never does.
    SILENT_BODY
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Map<String, String> orders = new ConcurrentHashMap<>();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private volatile @Nullable Fault trouble;

  private FakeOrderSystem(HttpServer server) {
    this.server = server;
  }

  /// Starts on a free port of loopback.
  public static FakeOrderSystem start() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      FakeOrderSystem fake = new FakeOrderSystem(server);
      server.createContext("/", fake::serve);
      server.setExecutor(fake.threads);
      server.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The base address, without a path.
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// Adds an order.
  ///
  /// @param json the reply for it
  public void put(String orderId, String json) {
    orders.put(orderId, json);
  }

  /// Puts in a paid order of a product.
  public void putPaid(String orderId, String productId) {
    put(
        orderId,
        "{\"order_id\":\"%s\",\"product_id\":\"%s\",\"status\":\"paid\"}"
            .formatted(orderId, productId));
  }

  /// Makes all calls fail in this way; null ends it.
  public void always(@Nullable Fault one) {
    trouble = one;
  }

  /// The targets of all calls so far, as they came.
  public List<String> calls() {
    return List.copyOf(calls);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    String target = exchange.getRequestURI().getRawPath();
    calls.add(target);
    Fault now = trouble;
    if (now == null) {
      answer(exchange, target);
      return;
    }
    switch (now) {
      case STATUS_401 -> reply(exchange, 401, "{}");
      case STATUS_429 -> {
        exchange.getResponseHeaders().set("Retry-After", "7");
        reply(exchange, 429, "slow down");
      }
      case STATUS_500 -> reply(exchange, 500, "<h1>error</h1>");
      case REDIRECT -> {
        exchange.getResponseHeaders().set("Location", url() + target + "?again");
        reply(exchange, 302, "");
      }
      case MALFORMED -> reply(exchange, 200, "{\"status\": \"pa");
      case STRANGE -> reply(exchange, 200, "{\"state\": 7}");
      case CUT_OFF -> {
        exchange.sendResponseHeaders(200, 1000);
        exchange.getResponseBody().write("{\"status\": ".getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        exchange.close();
      }
      case SILENT -> waitForClose();
      case SILENT_BODY -> {
        exchange.sendResponseHeaders(200, 1000);
        exchange.getResponseBody().flush();
        waitForClose();
      }
    }
  }

  private void answer(HttpExchange exchange, String target) throws IOException {
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (!("Bearer " + TOKEN).equals(authorization)) {
      reply(exchange, 401, "{\"error\":\"unauthorized\"}");
      return;
    }
    String order =
        target.startsWith(PATH)
            ? orders.get(URLDecoder.decode(target.substring(PATH.length()), StandardCharsets.UTF_8))
            : null;
    if (order == null) {
      reply(exchange, 404, "{\"error\":\"no such order\"}");
    } else {
      reply(exchange, 200, order);
    }
  }

  private void waitForClose() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reply(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
